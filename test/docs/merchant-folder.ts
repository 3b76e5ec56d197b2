import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../support/root.ts'
import type { Block } from './blocks.ts'

const run = promisify(execFile)
const compiler = join(root, 'node_modules/typescript/bin/tsc')

/** A merchant's folder in which `npm install till-pay-checkout-….tgz` has put the package `@till-pay/checkout`. */
export interface MerchantFolder {
  readonly path: string
  /** Creates a subfolder for one document. */
  room(doc: string): string
  /** Compiles these scripts and returns the errors, which name the blocks. */
  check(blocks: readonly Block[]): Promise<string>
  remove(): void
}

export async function makeMerchantFolder(): Promise<MerchantFolder> {
  const path = mkdtempSync(join(tmpdir(), 'till-docs-'))
  const till = join(path, 'node_modules/@till-pay/checkout')
  mkdirSync(till, { recursive: true })
  writeFileSync(join(path, 'package.json'), '{"type":"module","private":true}')
  for (const name of ['package.json', 'frameworks']) cpSync(join(root, 'embed', name), join(till, name), { recursive: true })
  await run(process.execPath, [join(root, 'embed/build.mjs'), join(till, 'dist')])
  mkdirSync(join(path, 'node_modules/@types'))
  symlinkSync(join(root, 'node_modules/@types/node'), join(path, 'node_modules/@types/node'))
  return {
    path,
    room(doc) {
      const room = join(path, doc.replace(/\W+/g, '-'))
      mkdirSync(room, { recursive: true })
      return room
    },
    async check(blocks) {
      const room = join(path, 'types')
      mkdirSync(room, { recursive: true })
      const names = new Map(blocks.map((block, at) => [`${at}.${block.kind === 'ts' ? 'mts' : 'mjs'}`, block]))
      // The export makes a page's script a module, so that its names do not collide with other scripts'.
      for (const [file, { text, file: imported }] of names) {
        writeFileSync(join(room, file), `${text}\nexport {}\n`)
        // A script may import another one of its document by the name under which a reader saves it.
        if (imported) writeFileSync(join(room, imported), text)
      }
      const compilerOptions = {
        allowJs: true,
        checkJs: true,
        noEmit: true,
        target: 'es2022',
        lib: ['es2023', 'dom', 'dom.iterable'],
        types: ['node'],
        module: 'nodenext',
        moduleResolution: 'nodenext',
        skipLibCheck: true,
        strict: false,
      }
      writeFileSync(join(room, 'till.d.ts'), "import '@till-pay/checkout'\n")
      writeFileSync(join(room, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['till.d.ts', ...names.keys()] }))
      const diagnostics = await run(process.execPath, [compiler, '-p', room], { cwd: room }).then(
        () => '',
        (error: { stdout: string }) => error.stdout,
      )
      return diagnostics.replace(/^(\d+\.m[jt]s)/gm, (file) => names.get(file)?.name ?? file)
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}
