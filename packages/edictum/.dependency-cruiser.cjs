// The arrows of ARCHITECTURE.md as rules: a layer imports only what is listed beside it.
// Tests are free to import what they test.

const layers = {
  internal: [],
  contracts: ['internal/'],
  policy: ['contracts/', 'internal/'],
  guard: ['policy/', 'contracts/', 'internal/', 'version.ts'],
  runtime: ['guard/', 'policy/', 'contracts/', 'internal/', 'version.ts'],
  history: ['guard/', 'policy/', 'contracts/', 'internal/'],
  drivers: [
    'guard/ports/',
    'runtime/artifacts/',
    'policy/',
    'contracts/config-error.ts',
    'internal/',
    'version.ts',
  ],
  server: [
    'guard/',
    'drivers/',
    'policy/redaction/',
    'contracts/config-error.ts',
    'contracts/diagnostic.ts',
    'internal/',
    'version.ts',
  ],
  adapters: ['guard/', 'runtime/', 'policy/', 'internal/', 'version.ts'],
}

// Everything else from node_modules is refused until it is given a place here.
const packages = {
  ajv: 'src/runtime/arguments/json-schema\\.ts$',
  'eventsource-parser': 'src/server/event-stream\\.ts$',
  'js-yaml': 'src/contracts/yaml\\.ts$',
  unbash: 'src/policy/sandbox/commands/',
}

const tests = '\\.test(-d)?\\.ts$'
const knownFolders =
  '^src/(internal|contracts|policy|guard|history|runtime|drivers|server|adapters|testing|cli)/'
const rootFile = '^src/[^/]+\\.ts$'

const error = (name, comment, { from, to }) => ({ name, comment, severity: 'error', from, to })

const layerRules = Object.entries(layers).map(([layer, mayImport]) =>
  error(`${layer}-imports-only-lower-layers`, `${layer}/ sees: ${[layer + '/', ...mayImport].join(', ')}`, {
    from: { path: `^src/${layer}/`, pathNot: tests },
    to: { path: '^src/', pathNot: [`${layer}/`, ...mayImport].map((allowed) => `^src/${allowed}`) },
  }),
)

const packageRules = Object.entries(packages).map(([name, home]) =>
  error(`${name}-has-one-home`, `${name} is imported in one place so that it can be replaced there`, {
    from: { path: '^src/', pathNot: [`^${home}`, tests] },
    to: { path: `node_modules/${name}/` },
  }),
)

module.exports = {
  forbidden: [
    error('no-cycles', 'two modules that need each other are one module or three', {
      from: { pathNot: tests },
      to: { circular: true },
    }),
    error('imports-resolve', 'an import that leads nowhere', { from: {}, to: { couldNotResolve: true } }),
    ...layerRules,
    // Redaction decides nothing either: a driver that shows something to a person masks secrets with it.
    error('drivers-see-policy-types-only', 'a driver decides nothing', {
      from: { path: '^src/drivers/', pathNot: tests },
      to: { path: '^src/policy/', pathNot: '^src/policy/redaction/', dependencyTypesNot: ['type-only'] },
    }),
    error('adapters-stand-alone', 'an adapter imports no other adapter', {
      from: { path: '^src/(adapters/[^/]+)/' },
      to: { path: '^src/adapters/', pathNot: '^src/$1/' },
    }),
    error('driver-folders-stand-alone', 'a driver imports no other driver', {
      from: { path: '^src/(drivers/[^/]+/[^/]+)/' },
      to: { path: '^src/drivers/', pathNot: '^src/$1/' },
    }),
    error('drivers-of-one-port-stand-alone', 'drivers of one port do not import those of another', {
      from: { path: '^src/(drivers/[^/]+)/[^/]+$', pathNot: tests },
      to: { path: '^src/drivers/', pathNot: '^src/$1/[^/]+$' },
    }),
    error('nobody-imports-cli', 'the command line sits on top', {
      from: { path: '^src/', pathNot: ['^src/cli/', tests] },
      to: { path: '^src/cli/' },
    }),
    error('nobody-imports-testing', 'what users import in their tests is no part of the product', {
      from: { path: '^src/', pathNot: ['^src/(testing|cli)/', tests] },
      to: { path: '^src/testing/' },
    }),
    error('version-imports-nothing', 'version.ts is a leaf', {
      from: { path: '^src/version\\.ts$' },
      to: {},
    }),
    error('known-folders-only', 'a new folder needs a place among the layers', {
      from: { path: '^src/[^/]+/', pathNot: knownFolders },
      to: {},
    }),
    error('known-targets-only', 'a new folder needs a place among the layers', {
      from: {},
      to: { path: '^src/[^/]+/', pathNot: knownFolders },
    }),
    error('platform-neutral-core', 'the core runs anywhere: the platform is behind internal/platform.ts', {
      from: {
        path: '^src/',
        pathNot: ['^src/internal/platform\\.ts$', '^src/(drivers|server|cli|testing)/', rootFile, tests],
      },
      to: { dependencyTypes: ['core'] },
    }),
    ...packageRules,
    error('third-party-imports-are-listed', 'give the package a home in this file first', {
      from: { path: '^src/', pathNot: tests },
      to: {
        path: 'node_modules/',
        pathNot: Object.keys(packages).map((name) => `node_modules/${name}/`),
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
