/** What an expression of PromQL reads: the names of metrics, and of each the labels that are compared or kept. */
export interface Read {
  readonly metric: string
  readonly labels: readonly string[]
  /** The values that a label is compared with, where they are a plain list (`a` or `a|b`). */
  readonly values: readonly { readonly label: string; readonly value: string }[]
}

const functions = 'abs|absent|avg|by|changes|count|delta|histogram_quantile|increase|max|min|on|or|and|rate|sum|unless|without'
const selector = new RegExp(String.raw`\b(?!(?:${functions})\b)([a-z_][a-z0-9_]*)(?:\{([^}]*)\})?`, 'gi')
const grouping = /\b(?:by|on|without)\s*\(([^)]*)\)/g

/** The labels by which an expression groups have to be there for every metric that it reads, except for those of the `or` alternatives. */
export function readsOf(expression: string): readonly Read[] {
  const kept = [...expression.matchAll(grouping)].flatMap(([, list = '']) => list.split(',').map((label) => label.trim()))
  const bare = expression.replace(grouping, '').replace(/\[[^\]]*\]/g, '')
  return [...bare.matchAll(selector)].map(([, metric = '', matchers = '']) => {
    const compared = [...matchers.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)]
    return {
      metric,
      labels: [...new Set([...compared.map(([, label = '']) => label), ...kept])],
      values: compared.flatMap(([, label = '', operator, text = '']) =>
        operator?.startsWith('!') || !/^[\w|]+$/.test(text) ? [] : text.split('|').map((value) => ({ label, value })),
      ),
    }
  })
}
