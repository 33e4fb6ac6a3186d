/** Writes the pages of the library's API, made by TypeDoc of the sources behind each entry of the package. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Application, OptionDefaults, ReflectionKind } from 'typedoc'

const ROOT = join(import.meta.dirname, '..')
const OUTPUT = join(ROOT, 'docs/.vitepress/public/api')

/** The sources of the entries, by the names under which hosts import them. */
async function entries(): Promise<ReadonlyMap<string, string>> {
  const { name, exports } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    readonly name: string
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>
  }
  return new Map(
    Object.entries(exports).flatMap(([path, target]) =>
      typeof target === 'string'
        ? []
        : [[name + path.slice(1), target.types.replace('./dist/', '').replace(/\.d\.ts$/, '.ts')] as const],
    ),
  )
}

const sources = await entries()
const application = await Application.bootstrap({
  name: 'Alcove: API of the library',
  entryPoints: [...sources.values()].map((path) => join(ROOT, path)),
  tsconfig: join(ROOT, 'tsconfig.build.json'),
  basePath: ROOT,
  // The types of the client are generated, and have these tags.
  blockTags: [...OptionDefaults.blockTags, '@description'],
  modifierTags: [...OptionDefaults.modifierTags, '@constant'],
  // The check of types is another command's.
  skipErrorChecking: true,
  excludePrivate: true,
  excludeInternal: true,
  disableSources: true,
  disableGit: true,
  readme: 'none',
  hideGenerator: true,
  includeVersion: false,
  githubPages: false,
  navigationLinks: { Documentation: '/' },
  validation: { notExported: false, invalidLink: true, notDocumented: false },
  logLevel: 'Warn',
})
const project = await application.convert()
if (project === undefined) throw new Error('TypeDoc could not read the sources: "npm run check:types" says why')
const names = new Map([...sources].map(([name, path]) => [path.replace(/(\/index)?\.ts$/, ''), name]))
for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
  module.name = names.get(module.name.replace(/\/index$/, '')) ?? module.name
}
await application.generateDocs(project, OUTPUT)
if (application.logger.hasErrors()) process.exitCode = 1
