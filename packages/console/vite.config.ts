// The web page, from src/ui to dist/ui.
import { defineConfig } from 'vite'

export default defineConfig({
  root: 'src/ui',
  logLevel: 'warn',
  build: {
    outDir: '../../dist/ui',
    emptyOutDir: true,
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // What is inlined as a data: address would be refused by the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
