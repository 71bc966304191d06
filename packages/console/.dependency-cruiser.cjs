// The arrows of ARCHITECTURE.md as rules: a layer imports only what is listed beside it.
// Tests are free to import what they test.

const layers = {
  protocol: [],
  store: ['protocol/'],
  server: ['protocol/', 'store/'],
  ui: ['protocol/'],
}

// Everything else from node_modules is refused until it is given a place here.
const packages = {
  '@hono/node-server': 'src/server/',
  ajv: 'src/server/routing/schema-check\\.ts$',
  hono: 'src/server/',
  ioredis: 'src/store/redis/',
  libsql: 'src/store/sqlite/',
  pg: 'src/store/postgres/',
  react: 'src/ui/',
  'react-dom': 'src/ui/main\\.tsx$',
  uplot: 'src/ui/parts/chart\\.tsx$',
}

const tests = '\\.test(-d)?\\.ts$'
const knownFolders = `^src/(${Object.keys(layers).join('|')})/`

const error = (name, comment, { from, to }) => ({ name, comment, severity: 'error', from, to })

const layerRules = Object.entries(layers).map(([layer, mayImport]) =>
  error(`${layer}-imports-only-lower-layers`, `${layer}/ sees: ${[layer + '/', ...mayImport].join(', ')}`, {
    from: { path: `^src/${layer}/`, pathNot: tests },
    to: { path: '^src/', pathNot: [`${layer}/`, ...mayImport].map((allowed) => `^src/${allowed}`) },
  }),
)

const packageRules = Object.entries(packages).map(([name, home]) =>
  error(
    `${name.replaceAll(/[^a-z-]/g, '')}-has-one-home`,
    `${name} is imported in one place so that it can be replaced there`,
    {
      from: { path: '^src/', pathNot: [`^${home}`, tests] },
      to: { path: `node_modules/${name}/` },
    },
  ),
)

module.exports = {
  forbidden: [
    error('no-cycles', 'two modules that need each other are one module or three', {
      from: { pathNot: tests },
      to: { circular: true },
    }),
    error('imports-resolve', 'an import that leads nowhere', { from: {}, to: { couldNotResolve: true } }),
    ...layerRules,
    error('known-folders-only', 'a new folder needs a place among the layers', {
      from: { path: '^src/', pathNot: [knownFolders, tests] },
      to: {},
    }),
    ...packageRules,
    error('third-party-imports-are-listed', 'give the package a home in this file first', {
      from: { path: '^src/', pathNot: tests },
      to: {
        path: 'node_modules/',
        pathNot: Object.keys(packages).map((name) => `node_modules/(@types/)?${name}/`),
      },
    }),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
}
