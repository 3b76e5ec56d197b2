import { dirname, join, relative } from 'node:path'
import { mayImport } from './walls.mjs'

const root = dirname(import.meta.dirname)

/**
 * This replaces `no-restricted-imports`, which checks how an import is spelled and not where it leads, and does not cover `import()`. Here
 * one row of walls.mjs governs a file, even if several patterns match it.
 */
const wallsRule = {
  create(context) {
    const file = relative(root, context.filename)
    const check = (node, source, typesOnly) => {
      if (typeof source?.value !== 'string') return
      const target = resolve(file, source.value)
      if (mayImport(file, target, typesOnly)) return
      const kind = typesOnly ? ' even types of' : ''
      context.report({ node, message: `${file} may not import${kind} ${target.replace('npm:', '')}: check/walls.mjs` })
    }
    return {
      ImportDeclaration: (node) => check(node, node.source, isTypesOnly(node, 'importKind')),
      ExportNamedDeclaration: (node) => check(node, node.source, isTypesOnly(node, 'exportKind')),
      ExportAllDeclaration: (node) => check(node, node.source, node.exportKind === 'type'),
      ImportExpression: (node) => check(node, node.source, false),
      TSImportType: (node) => check(node, node.source ?? node.argument, true),
    }
  },
}

function isTypesOnly(node, kind) {
  if (node[kind] === 'type') return true
  return node.specifiers.length > 0 && node.specifiers.every((specifier) => specifier[kind] === 'type')
}

function resolve(file, source) {
  const path = source.split('?')[0]
  if (path.startsWith('.')) return join(dirname(file), path)
  if (path.startsWith('node:')) return 'npm:node'
  return `npm:${path.split('/', path.startsWith('@') ? 2 : 1).join('/')}`
}

/** A top-level arrow function must be a single expression, unless its variable has a type. One with statements must be a declaration. */
const functionStyle = {
  create(context) {
    return {
      Program({ body }) {
        for (const statement of body) {
          const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
          if (declared?.type !== 'VariableDeclaration') continue
          for (const { id, init } of declared.declarations) {
            if (id.typeAnnotation || init?.type !== 'ArrowFunctionExpression' || init.body.type !== 'BlockStatement') continue
            context.report({ node: id, message: `declare it as a function: function ${id.name}() { … }` })
          }
        }
      },
    }
  },
}

export default { meta: { name: 'till' }, rules: { walls: wallsRule, 'function-style': functionStyle } }
