import type { Hono } from 'hono'
import type { OrderBoot, Render } from '../../src/wire/boot.ts'
import { escapeHtml } from '../../server/lib/escape-html.ts'
import type { Network } from './networks/network.ts'
import type { Play } from './play.ts'
import type { Player } from './player.ts'
import type { Scenario } from './scenario.ts'
import { findScenario } from './find-scenario.ts'

/**
 * `{pay_url}/pay/{id}?simulate=name` is the ordinary page below a bar that reports the scenario. A GET changes nothing, so the bar's script
 * starts it by POST, or its button does where scripts are off. `&look=1` pauses a second at each step.
 */
export const scriptPath = '/test/scenario.js'

export const script = `const look = new URLSearchParams(location.search).get('look')
addEventListener('load', async () => {
  const box = document.querySelector('#scenario[data-name]')
  if (!box) return
  const line = box.querySelector('output')
  const show = ({ at, text }) => {
    if (text && at !== 'reached') line.textContent = text
    box.dataset.at = at
  }
  const answer = await fetch('/test/scenarios/' + encodeURIComponent(box.dataset.name), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ order_id: box.dataset.order, chain_id: box.dataset.chain ? Number(box.dataset.chain) : undefined, look_ms: look ? Math.round(look * 1000) : undefined }),
  })
  if (!answer.ok) return show({ at: 'failed', text: (await answer.json()).message })
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const lines = (rest + value).split('\\n')
    rest = lines.pop()
    for (const event of lines) show(JSON.parse(event))
  }
})
`

const css = `#scenario{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 12px;padding:10px 16px;background:#14191c;color:#eef1f2;border-bottom:1px solid #2c3338;font:14px/1.45 system-ui,sans-serif}#scenario b{font-weight:600}#scenario p,#scenario output{flex:1 1 320px;min-width:0;color:#c4ccd1}#scenario output{flex-basis:100%;color:#fff}#scenario output:empty{display:none}#scenario[data-at=step] output::before,#scenario[data-at=order] output::before{content:"● ";color:#eec06b}#scenario[data-at=reached] output::before{content:"✓ ";color:#6fd39d}#scenario[data-at=failed] output::before{content:"✕ ";color:#ff9d92}#scenario button{font:600 14px/1.45 system-ui,sans-serif;min-height:44px;padding:0 16px;border:0;border-radius:10px;background:#eef1f2;color:#14191c}@media(max-width:600px){#scenario:has(output:not(:empty)) p{display:none}}@media print{#scenario{display:none}}`

const requestedScenario = ({ surface, query }: Pick<OrderBoot, 'surface' | 'query'>): string | undefined =>
  surface === 'page' ? (new URLSearchParams(query).get('simulate') ?? undefined) : undefined

/** The link to an order may name the currency to pay with, and its name begins with its chain. */
function chainIn(query: URLSearchParams): number | undefined {
  const chain = /^(\d{1,15})-/.exec(query.get('currency') ?? '')?.[1]
  return chain === undefined ? undefined : Number(chain)
}

function viewOf({ way }: Scenario, network: Network): Readonly<Record<string, string>> {
  const native = { method: 'address', currency: `${network.chainId}-native` }
  switch (way) {
    case 'direct':
      return network.tokens.some(({ address }) => address !== null) ? { method: 'address' } : native
    case 'coin':
      return native
    case 'card':
      return { method: 'card' }
    default:
      return way satisfies never
  }
}

/** Redirects to the view in which the payer would be when the scenario begins. */
export function simulateRoutes(app: Hono, player: Player): void {
  app.get('/pay/:id', async (c, next) => {
    const found = findScenario(c.req.query('simulate') ?? '')
    const scenario = 'scenario' in found ? found.scenario : undefined
    const order = scenario && c.req.query('method') === undefined ? await player.find(c.req.param('id')) : undefined
    const network = scenario && order && player.networkFor(scenario, order, chainIn(new URLSearchParams(c.req.query())))
    if (!network) return next()
    const view = new URLSearchParams({ ...c.req.query(), ...viewOf(scenario, network) })
    return c.redirect(`/pay/${order.id}?${view}`, 302)
  })
}

export const withScenario =
  (render: Render, played: (orderId: string) => Play | undefined): Render =>
  (boot) => {
    const html = render(boot)
    const { data, shell } = boot
    const name = data.view === 'order' ? requestedScenario(data) : undefined
    if (data.view !== 'order' || name === undefined) return html
    const found = findScenario(name)
    const box =
      'scenario' in found
        ? scenarioBox(found.scenario, data.order.id, chainIn(new URLSearchParams(data.query)), played(data.order.id))
        : `<aside id="scenario">${escapeHtml(found.problem)}</aside>`
    return html
      .replace(
        '</head>',
        () => `<style nonce="${shell.nonce}">${css}</style><script nonce="${shell.nonce}" src="${scriptPath}"></script></head>`,
      )
      .replace('<div id="till"', () => `${box}<div id="till"`)
  }

function scenarioBox({ name, title, sentence }: Scenario, orderId: string, chainId: number | undefined, play: Play | undefined): string {
  const last = play?.events.findLast((event) => event.at === 'step' || event.at === 'failed')
  const line = last ? escapeHtml(last.text) : ''
  const at = play?.events.at(-1)?.at ?? 'order'
  const button = play
    ? ''
    : `<noscript><form method="post" action="/test/scenarios/${encodeURIComponent(name)}"><input type="hidden" name="order_id" value="${escapeHtml(orderId)}">${chainId === undefined ? '' : `<input type="hidden" name="chain_id" value="${chainId}">`}<button>Play it</button></form></noscript>`
  return `<aside id="scenario" lang="en" dir="ltr" aria-label="Scenario" data-name="${escapeHtml(name)}" data-order="${escapeHtml(orderId)}"${chainId === undefined ? '' : ` data-chain="${chainId}"`} data-at="${at}"><b>${escapeHtml(title)}</b><p>${escapeHtml(sentence)}</p><output aria-live="polite">${line}</output>${button}</aside>`
}
