/** `./svelte` and `./solid` have only types, but bundlers still need a file to resolve them to. */
export default undefined
