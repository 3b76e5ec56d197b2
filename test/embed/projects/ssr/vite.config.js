export default { oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } }, ssr: { noExternal: ['@till-pay/checkout'] } }
