// @ts-check
// `npm run console`: the console has a place in the workspace, but nothing to start yet.
console.error('the console is not built yet; LIMITATIONS.md says what is')
process.exitCode = 1
