import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import puppeteer from 'puppeteer-core'
import { until } from '../wait.ts'
import { freePort } from '../service/free-port.ts'

/**
 * The operations that the smoke test needs of a browser other than Chromium. Expressions run in the page as text, or in the frame whose
 * element `frame` evaluates to. Both browsers use dark mode.
 */
export interface OtherBrowser {
  goto(url: string): Promise<void>
  run<T>(expression: string, frame?: string): Promise<T>
  /** Clicks as a user does, so that the browser grants user activation. */
  click(element: string, frame?: string): Promise<void>
  /** Takes a PNG screenshot. */
  shot(): Promise<Uint8Array>
  close(): Promise<void>
}

export interface Found {
  readonly name: string
  /** The reason why the browser cannot run here. */
  readonly missing?: string
  open(): Promise<OtherBrowser>
}

const has = (program: string) => spawnSync('which', [program]).status === 0

const miniBrowser = () =>
  readdirSync('/usr/lib')
    .flatMap((folder) => ['4.1', '4.0'].map((version) => join('/usr/lib', folder, `webkit2gtk-${version}`, 'MiniBrowser')))
    .find((path) => existsSync(path))

const firefoxPath = () => ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((path) => existsSync(path))

export const otherBrowsers = (): Found[] => [
  {
    name: 'Firefox',
    missing: firefoxPath() ? undefined : 'no firefox-esr here (apt-get install firefox-esr)',
    open: () => openFirefox(firefoxPath()!),
  },
  {
    name: 'WebKit',
    missing:
      has('WebKitWebDriver') && has('xvfb-run') && miniBrowser() ? undefined : 'no WebKit here (apt-get install webkit2gtk-driver xvfb)',
    open: () => openWebKit(miniBrowser()!),
  },
]

async function openFirefox(executablePath: string): Promise<OtherBrowser> {
  const home = mkdtempSync(join(tmpdir(), 'till-firefox-'))
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath,
    headless: true,
    env: { ...process.env, HOME: home, TZ: 'UTC' },
    extraPrefsFirefox: { 'ui.systemUsesDarkTheme': 1, 'layout.css.prefers-color-scheme.content-override': 0 },
  })
  const page = await browser.newPage()
  await page.setViewport({ width: 1000, height: 1200 })
  const inside = async (frame: string | undefined) => {
    if (!frame) return page
    const element = (await page.evaluateHandle(frame)).asElement()
    const found = await (element as { contentFrame?(): Promise<typeof page> } | null)?.contentFrame?.()
    if (!found) throw new Error(`no frame at ${frame}`)
    return found
  }
  return {
    goto: async (url) => void (await page.goto(url)),
    run: async (expression, frame) => (await (await inside(frame)).evaluate(expression)) as never,
    click: async (element, frame) => {
      const found = (await (await inside(frame)).evaluateHandle(element)).asElement()
      if (!found) throw new Error(`nothing to click at ${element}`)
      await (found as unknown as { click(): Promise<void> }).click()
    },
    shot: () => page.screenshot({ type: 'png' }),
    close: async () => {
      await browser.close()
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Drives WebKit by the WebDriver standard. */
async function openWebKit(binary: string): Promise<OtherBrowser> {
  const home = mkdtempSync(join(tmpdir(), 'till-webkit-'))
  const port = await freePort()
  const driver = spawn('xvfb-run', ['-a', 'WebKitWebDriver', '-p', String(port)], {
    detached: true,
    stdio: 'ignore',
    env: {
      ...process.env,
      HOME: home,
      TZ: 'UTC',
      GTK_THEME: 'Adwaita:dark',
      LIBGL_ALWAYS_SOFTWARE: '1',
      // Root has no namespaces for the sandbox. Only our own pages are opened here.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    },
  })
  const ended = new Promise<void>((resolve) => driver.once('close', () => resolve()))
  const ask = async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...(body && { body: JSON.stringify(body) }) })
    const { value } = (await answer.json()) as { value: unknown }
    if (!answer.ok) throw new Error(`WebKitWebDriver, ${path}: ${JSON.stringify(value)}`)
    return value
  }
  await until(() => ask('GET', '/status').then(Boolean, () => false))
  const options = { binary, args: ['--automation'] }
  const { sessionId } = (await ask('POST', '/session', {
    capabilities: { alwaysMatch: { browserName: 'MiniBrowser', 'webkitgtk:browserOptions': options } },
  })) as { sessionId: string }
  const session = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => ask(method, `/session/${sessionId}${path}`, body)
  const evaluate = (expression: string) => session('POST', '/execute/sync', { script: `return (${expression})`, args: [] })
  const within = async <T>(frame: string | undefined, run: () => Promise<T>): Promise<T> => {
    if (!frame) return run()
    await session('POST', '/frame', { id: await evaluate(frame) })
    try {
      return await run()
    } finally {
      await session('POST', '/frame', { id: null })
    }
  }
  await session('POST', '/window/rect', { width: 1000, height: 1200 })
  return {
    goto: async (url) => void (await session('POST', '/url', { url })),
    run: (expression, frame) => within(frame, () => evaluate(expression)) as never,
    click: (element, frame) =>
      within(frame, async () => {
        const [id] = Object.values((await evaluate(element)) as Record<string, string>)
        await session('POST', `/element/${id}/click`, {})
      }),
    shot: async () => Buffer.from((await session('GET', '/screenshot')) as string, 'base64'),
    close: async () => {
      await session('DELETE', '').catch(() => undefined)
      // xvfb-run, its display and the driver are one process group.
      process.kill(-driver.pid!, 'SIGTERM')
      await ended
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
