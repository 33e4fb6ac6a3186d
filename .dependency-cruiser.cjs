/** The rules of ARCHITECTURE.md. What may be imported from where is checked, not hoped for. */

/** The modules of `src`, each with what it may import beside itself. */
const MODULES = {
  kernel: [],
  ports: ['kernel'],
  analysis: ['kernel'],
  webhooks: ['kernel'],
  jobs: ['ports', 'kernel'],
  audit: ['ports', 'kernel', 'jobs'],
  tenancy: ['ports', 'kernel', 'jobs', 'audit'],
  outbox: ['ports', 'kernel', 'jobs', 'webhooks', 'audit', 'tenancy'],
  contexts: ['ports', 'kernel', 'jobs', 'audit', 'tenancy', 'outbox'],
  documents: ['ports', 'kernel', 'analysis', 'jobs', 'audit', 'tenancy', 'outbox', 'contexts'],
  maintenance: ['ports', 'kernel', 'analysis', 'jobs', 'audit', 'tenancy', 'outbox', 'contexts', 'documents'],
  doctor: ['ports', 'kernel', 'analysis', 'jobs', 'tenancy', 'outbox', 'contexts', 'documents', 'maintenance'],
  search: ['ports', 'kernel', 'analysis', 'jobs', 'tenancy', 'outbox', 'contexts', 'documents'],
}

const moduleRules = Object.entries(MODULES).map(([name, allowed]) => ({
  name: `${name}-imports`,
  comment: `src/${name} may import only ${[...allowed, 'itself'].join(', ')}`,
  severity: 'error',
  from: { path: `^src/${name}/` },
  to: { path: '^src/', pathNot: `^src/(${[name, ...allowed].join('|')})/` },
}))

const indexRules = Object.keys(MODULES)
  .filter((name) => name !== 'kernel')
  .map((name) => ({
    name: `${name}-by-its-index`,
    comment: `src/${name} is entered through its index.ts`,
    severity: 'error',
    from: { path: '^src/', pathNot: `^src/${name}/` },
    to: { path: `^src/${name}/`, pathNot: `^src/${name}/index\\.ts$` },
  }))

module.exports = {
  forbidden: [
    ...moduleRules,
    ...indexRules,
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'core-knows-no-adapter',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(adapters|test|benchmarks|examples)/' },
    },
    {
      name: 'core-imports-only-zod',
      comment: 'src imports no package but zod, and no module of Node',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/engine/' },
      to: { dependencyTypesNot: ['local', 'localmodule', 'undetermined'], pathNot: '(^|/)node_modules/zod/' },
    },
    {
      name: 'engine-imports-only-inversify',
      severity: 'error',
      from: { path: '^src/engine/' },
      to: {
        dependencyTypesNot: ['local', 'localmodule'],
        pathNot: '(^|/)node_modules/(zod|inversify|@inversifyjs|reflect-metadata)/',
      },
    },
    {
      name: 'inversify-in-one-file',
      severity: 'error',
      from: { path: '^(src|adapters)/', pathNot: '^src/engine/container\\.ts$' },
      to: { path: '(^|/)node_modules/(reflect-metadata|inversify|@inversifyjs)/' },
    },
    {
      name: 'engine-is-behind-the-front-door',
      severity: 'error',
      from: { pathNot: '^src/(index\\.ts$|engine/)' },
      to: { path: '^src/engine/' },
    },
    {
      name: 'adapters-know-the-front-door-and-the-ports',
      severity: 'error',
      from: { path: '^adapters/' },
      to: { path: '^src/', pathNot: '^src/(index|ports/index)\\.ts$' },
    },
    {
      name: 'adapters-know-not-each-other',
      comment: 'local, tools and cli compose; every other adapter stands alone, with the helpers of node-kit',
      severity: 'error',
      from: { path: '^adapters/([^/]+)/', pathNot: '^adapters/(local|tools|cli|console/app)/' },
      to: { path: '^adapters/', pathNot: '^adapters/($1/|node-kit/index\\.ts$)' },
    },
    {
      name: 'console-page-knows-only-the-client',
      comment:
        'the page runs in browsers: it imports the client of the REST API, and no module of the engine or of Node',
      severity: 'error',
      from: { path: '^adapters/console/app/' },
      to: { path: ['^(src|test)/', '^adapters/(?!console/app/|client/index\\.ts$)'] },
    },
    {
      name: 'the-page-is-for-browsers-alone',
      severity: 'error',
      from: { path: '^(src|adapters)/', pathNot: '^adapters/console/app/' },
      to: { path: '^adapters/console/app/' },
    },
    {
      name: 'adapters-by-their-index',
      severity: 'error',
      from: { path: '^adapters/(local|tools|cli)/' },
      to: { path: '^adapters/', pathNot: ['^adapters/$1/', '^adapters/[^/]+/index\\.ts$', '^adapters/local/'] },
    },
    {
      name: 'only-tools-know-the-inside-of-local',
      comment: 'a tool reads and locks data folders as the engine does; cli uses both through the index of local',
      severity: 'error',
      from: { path: '^adapters/cli/' },
      to: { path: '^adapters/(local|tools)/', pathNot: '^adapters/local/index\\.ts$' },
    },
    {
      name: 'client-knows-only-the-api',
      comment: 'adapters/client runs in browsers: it imports nothing of the engine, and no module of Node',
      severity: 'error',
      from: { path: '^adapters/client/' },
      to: {
        pathNot: '^(adapters/client/|node_modules/(openapi-fetch|openapi-typescript-helpers|eventsource-parser)/)',
      },
    },
    {
      name: 'nothing-shipped-imports-tests',
      severity: 'error',
      from: { path: '^(src|adapters)/' },
      to: { path: '^(test|benchmarks|examples)/' },
    },
    {
      name: 'conformance-knows-ports-only',
      severity: 'error',
      from: { path: '^test/conformance/' },
      to: { path: '^(src|adapters|test)/', pathNot: '^(src/ports/index\\.ts$|test/conformance/)' },
    },
    {
      name: 'the-package-never-imports-itself',
      severity: 'error',
      from: {},
      to: { path: '(^|/)node_modules/alcove/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|coverage)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
    },
  },
}
