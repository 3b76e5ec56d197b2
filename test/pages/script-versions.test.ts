import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Hono } from 'hono'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { assetRoutes, loadAssets } from '../../server/pages/assets.ts'

const sha = (text: string) => `sha384-${createHash('sha384').update(text).digest('base64')}`
const app = new Hono()
let dir: string

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'till-client-'))
  for (const folder of ['.vite', 'releases']) mkdirSync(join(dir, folder))
  writeFileSync(join(dir, '.vite/manifest.json'), '{}')
  writeFileSync(join(dir, 'till.js'), 'new')
  writeFileSync(join(dir, 'releases/3.7.0.js'), 'old')
  writeFileSync(
    join(dir, 'till-versions.json'),
    JSON.stringify([
      { version: '3.8.0', file: 'till.js', integrity: sha('new'), isKept: false },
      { version: '3.7.0', file: 'releases/3.7.0.js', integrity: sha('old'), isKept: true },
    ]),
  )
  assetRoutes(app, loadAssets(dir), 'https://pay.example')
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

test('default: a released version has its bytes for ever, and any page may compare them with the hash that the service lists', async () => {
  const listed = (await (await app.request('/till.json')).json()) as { version: string; integrity: string; url: string }[]
  expect(listed.map(({ version, url }) => [version, url])).toEqual([
    ['3.8.0', 'https://pay.example/till.js?v=3.8.0'],
    ['3.7.0', 'https://pay.example/till.js?v=3.7.0'],
  ])
  for (const { version, integrity, url } of listed) {
    const response = await app.request(url.replace('https://pay.example', ''))
    expect(sha(await response.text())).toBe(integrity)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('cache-control')).toBe(version === '3.7.0' ? 'public, max-age=31536000, immutable' : 'public, max-age=3600')
  }
})

test('error: a version that is not here is named with those that are', async () => {
  for (const version of ['3.6.9', '', '../till', '3.8.0/x']) {
    const response = await app.request(`/till.js?v=${encodeURIComponent(version)}`)
    expect([response.status, await response.text()]).toEqual([404, 'There is no such version of till.js here. There are: 3.8.0, 3.7.0\n'])
  }
})

test('behavior: without a version it is the newest, for an hour', async () => {
  const response = await app.request('/till.js')
  expect([await response.text(), response.headers.get('cache-control')]).toEqual(['new', 'public, max-age=3600'])
})
