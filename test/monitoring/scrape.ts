/** What a scrape says, by name: the labels and values of each sample. A name without samples is there as well. */
export type Scrape = ReadonlyMap<string, readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[]>

export async function scrape(port: number): Promise<Scrape> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  if (!response.ok) throw new Error(`/metrics answered ${response.status}`)
  return parseScrape(await response.text())
}

export function parseScrape(text: string): Scrape {
  const found = new Map<string, { labels: Record<string, string>; value: number }[]>()
  for (const line of text.split('\n')) {
    const declared = /^# TYPE (\w+)/.exec(line)?.[1]
    if (declared !== undefined && !found.has(declared)) found.set(declared, [])
    const sample = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line)
    if (!sample) continue
    const [, name = '', labels = '', value] = sample
    const named = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', text = '']) => [key, text] as const)
    found.set(name, [...(found.get(name) ?? []), { labels: Object.fromEntries(named), value: Number(value) }])
  }
  return found
}

/** The value of the sample with these labels, if there is one. */
export const valueOf = (scraped: Scrape, name: string, labels: Readonly<Record<string, string>> = {}): number | undefined =>
  scraped.get(name)?.find((sample) => Object.entries(labels).every(([key, text]) => sample.labels[key] === text))?.value
