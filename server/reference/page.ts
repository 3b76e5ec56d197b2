import { article, type Entry, titleOf, typeArticle } from './article.ts'
import { basics } from './basics.ts'
import { groups } from './groups.ts'
import { type Html, markup } from '../lib/markup.ts'
import { samplesOf } from './samples.ts'
import type { Description } from './schema.ts'

interface Group {
  readonly id: string
  readonly title: string
  readonly about: string
  readonly entries: readonly Entry[]
}

/** The page needs no scripts, since readers can search it with their browser. */
export function page(description: Description, sheet: string): string {
  const [{ url: base }] = description.servers
  const all = groupsOf(description)
  const types = Object.entries(description.components.schemas).sort(([a], [b]) => a.localeCompare(b))
  const contents = contentsOf(all)
  const samples = samplesOf(description)
  return markup`<!doctype html><html lang="en"><head><meta charset="utf-8">
  <meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">
  <title>API reference</title><link rel="icon" href="/icon.svg" type="image/svg+xml"><style>${{ html: sheet }}</style></head>
  <body><a class="skip" href="#main">To the content</a>
  <header><b>${description.info.title}</b> <small>version ${description.info.version}</small></header>
  <div class="layout">
    <nav aria-label="Contents"><details><summary>Contents</summary>${contents}</details><div class="wide">${contents}</div></nav>
    <main id="main"><h1>API reference</h1>
      ${basics(base, new URL(base).origin)}
      ${all.map((group) => sectionOf(description, group))}
      <section id="types"><h2>Types</h2>${types.map(([name, schema]) => typeArticle(name, schema, samples.get(name)))}</section>
    </main>
  </div></body></html>`.html
}

function groupsOf(description: Description): readonly Group[] {
  const entries = new Map(
    Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => method !== 'servers')
        .map(([method, operation]): [string, Entry] => [operation.operationId, { method, path, operation }]),
    ),
  )
  return groups.map(({ title, about, operations }) => ({
    id: title.toLowerCase().replace(/\W+/g, '-'),
    title,
    about,
    entries: operations.flatMap((id) => entries.get(id) ?? []),
  }))
}

function contentsOf(all: readonly Group[]): Html {
  const link = (entry: Entry) => markup`<li><a href="#${entry.operation.operationId}">${titleOf(entry)}</a></li>`
  return markup`<ul><li><a href="#basics">Basics</a></li>
    ${all.map(({ id, title, entries }) => markup`<li><a href="#${id}">${title}</a><ul>${entries.map(link)}</ul></li>`)}
    <li><a href="#types">Types</a></li></ul>`
}

const sectionOf = (description: Description, { id, title, about, entries }: Group): Html =>
  markup`<section id="${id}"><h2>${title}</h2><p>${about}</p>${entries.map((entry) => article(description, entry))}</section>`
