import { svelte } from '@sveltejs/vite-plugin-svelte'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vite'
import solid from 'vite-plugin-solid'

const plugins = { angular: [], radix: [], react: [], hydrated: [], vue: [vue()], svelte: [svelte()], solid: [solid()] }

/** `vite build --mode react` builds that one's page as a single script. */
export default defineConfig(({ mode }) => ({
  plugins: plugins[mode],
  define: { 'process.env.NODE_ENV': '"production"' },
  build: {
    outDir: `dist/${mode}`,
    target: 'es2022',
    lib: { entry: `apps/${mode}/main.${['react', 'solid', 'radix'].includes(mode) ? 'jsx' : 'js'}`, formats: ['es'], fileName: 'main' },
  },
}))
