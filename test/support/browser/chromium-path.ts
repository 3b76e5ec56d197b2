import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../root.ts'

export interface Chromium {
  readonly path: string
  /** Environment variables for the browser, empty for the system's own. */
  readonly env: Record<string, string>
}

const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/usr/bin/google-chrome-stable']

/** Finds the machine's Chromium, or unpacks the npm package's once into .cache/. */
export async function findChromium(): Promise<Chromium> {
  const own = process.env.TILL_CHROMIUM ?? installed.find((path) => existsSync(path))
  return own ? { path: own, env: {} } : unpacked()
}

async function unpacked(): Promise<Chromium> {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/@sparticuz/chromium/package.json'), 'utf8')) as { version: string }
  const folder = join(root, '.cache', `chromium-${version}`)
  if (!existsSync(folder)) await unpack(folder)
  const fonts = join(folder, 'fonts.conf')
  const wanted = fontsConf(join(folder, 'fonts'), join(folder, 'fontcache'))
  if (!existsSync(fonts) || readFileSync(fonts, 'utf8') !== wanted) writeFileSync(fonts, wanted)
  return {
    path: join(folder, 'chromium'),
    // A bare machine has neither the libraries nor a font, so the package includes both.
    env: { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'), FONTCONFIG_FILE: fonts },
  }
}

/** Unpacks into a temporary folder and renames it, because another worker may do the same. The first one wins. */
async function unpack(folder: string): Promise<void> {
  const aside = `${folder}.${process.pid}`
  mkdirSync(aside, { recursive: true })
  // The package reads its paths from the environment and changes it on import, so it runs in a separate process.
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    env: { ...process.env, TMPDIR: aside, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
  })
  try {
    renameSync(aside, folder)
  } catch {
    rmSync(aside, { recursive: true, force: true })
  }
}

const script = `import chromium from '@sparticuz/chromium'; await chromium.executablePath()`

/** Without this configuration texts use an arbitrary font, and another one where they are bold. */
const fontsConf = (fonts: string, cache: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${fonts}</dir><dir>/usr/share/fonts</dir><cachedir>${cache}</cachedir>
<match><test name="family"><string>monospace</string></test>
<edit name="family" mode="append_last" binding="strong"><string>DejaVu Sans Mono</string><string>Noto Sans Mono</string></edit></match>
<match><edit name="family" mode="append_last" binding="strong"><string>Open Sans</string></edit></match>
</fontconfig>
`
