import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { errorClasses } from '../../scripts/reference/error-classes.js'
import { codesInSources } from '../../scripts/reference/source-codes.js'
import { asyncMembers, exportedNames } from './interface-members.js'
import { ROOT } from './markdown-pages.js'

const DIST = join(ROOT, 'dist')
const files = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(js|d\.ts|map)$/.test(path))
const textOf = (path: string): string => readFileSync(join(DIST, path), 'utf8')

describe('errors', () => {
  it('of every class are exported from alcove or alcove/ports, so that a host can tell them apart', () => {
    const classes = errorClasses()
    expect(classes.length).toBeGreaterThan(40)
    expect(classes.filter(({ isExported }) => !isExported).map(({ name }) => name)).toEqual([])
  })

  it('of adapters are those classes too: none declares a subclass of its own', () => {
    const folder = join(ROOT, 'adapters')
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
    const declared = sources.flatMap((path) =>
      [...readFileSync(join(folder, path), 'utf8').matchAll(/class (\w+) extends (\w+Error)\b/g)].filter(
        ([, , base = '']) => base === 'AlcoveError' || exportedNames().has(base),
      ),
    )
    expect(declared.map(([text]) => text)).toEqual([])
  })
})

describe('the comment of a public function', () => {
  const members = asyncMembers()

  it('says what it throws, or that it never rejects', () => {
    expect(members.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Session.search', 'ContextOperations.create', 'UserOperations.add', 'openLocalEngine']),
    )
    const isSilent = ({ comment, throws }: (typeof members)[number]): boolean =>
      throws.length === 0 && !/never rejects/i.test(comment)
    // A port says in its contract what its adapters throw.
    const ofHosts = members.filter(({ name }) => !PORTS.test(name))
    expect(ofHosts.filter(isSilent).map(({ name }) => name)).toEqual([])
  })

  it('names only errors that are exported, and codes that exist', () => {
    const [known, codes] = [exportedNames(), codesInSources()]
    const unknown = members.flatMap(({ name, throws }) => {
      const text = throws.join(' ')
      const named = (text.match(/\b[A-Z]\w*Error\b/g) ?? []).filter((each) => !known.has(each))
      const coded = (text.match(/\bERR_[A-Z_]+\b/g) ?? []).filter((each) => !codes.has(each))
      return [...named, ...coded].map((each) => `${name}: ${each}`)
    })
    expect(unknown).toEqual([])
  })
})

/** The interfaces of `alcove/ports`, which hosts implement and do not call. */
const PORTS =
  /^(ExtractionSource|Storage|VectorIndex|LexicalIndex|EmbeddingModel|Reranker|TextExtractor|TextRecognizer|FileStore|StarterPromptWriter|TokenSigner|PasswordHasher|CommonPasswords|OneTimePasswords|Mailer|HttpTransport|ProcessLocks|\w+Repository)\./

describe('the shipped types and programs', () => {
  const types = files.filter((path) => path.endsWith('.d.ts'))

  it('cite sections that are in the shipped page of the specification', () => {
    const page = readFileSync(join(ROOT, 'docs/explanation/specification.md'), 'utf8')
    const sections = new Set([...page.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading))
    const cited = types.flatMap((path) =>
      [...textOf(path).matchAll(/Specification:\s+(?:\*\s+)?([A-Z][^.;,*]*)/g)].map(([, heading = '']) => heading),
    )
    expect(cited.length).toBeGreaterThan(3)
    expect(cited.filter((heading) => !sections.has(heading.trim()))).toEqual([])
  })

  it('cite no file that does not ship, and no source map that is not there', () => {
    const comments = types.map((path) => (textOf(path).match(/\/\*\*.*?\*\//gs) ?? []).join('\n'))
    const cited = comments.flatMap(
      (text) => text.match(/\b(?:src|adapters|test|scripts|benchmarks|docs)\/[\w./-]+\.(?:ts|js|md)\b/g) ?? [],
    )
    expect(cited.filter((name) => !name.startsWith('docs/') || !existsSync(join(ROOT, name)))).toEqual([])
    const maps = files.flatMap((path) =>
      [...textOf(path).matchAll(/^\/\/# sourceMappingURL=(?!data:)(.*)$/gm)].map(([, map = '']) =>
        join(dirname(path), map),
      ),
    )
    expect(maps.filter((map) => !existsSync(join(DIST, map)))).toEqual([])
    expect(files.filter((path) => path.endsWith('.map'))).toEqual([])
  })
})
