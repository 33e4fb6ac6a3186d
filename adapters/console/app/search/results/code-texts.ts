import type { SearchRequest } from '../use-search.js'

/** @param baseUrl address of the API. @returns a command that runs once `TOKEN` has an access token */
export function curlText({ contextIds, ...body }: SearchRequest, baseUrl: string): string {
  const [only] = contextIds
  const isOne = contextIds.length === 1 && only !== undefined
  const path = isOne ? `/context/relevant-docs/${only}` : '/context/relevant-docs'
  const json = JSON.stringify({ ...(!isOne && { contextIds }), ...body, include: ['score', 'source', 'match'] })
  return [
    `curl ${quoted(baseUrl + path)} \\`,
    `  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\`,
    `  -d ${quoted(json)}`,
  ].join('\n')
}

/** @returns a program for `alcove/client`, with the API key in the environment */
export function clientText({ contextIds, ...body }: SearchRequest, baseUrl: string): string {
  const [only] = contextIds
  const isOne = contextIds.length === 1 && only !== undefined
  const included = "include: ['score', 'source', 'match']"
  const members = [...membersOf(isOne ? body : { contextIds, ...body }), included].join(', ')
  const path = isOne ? '/context/relevant-docs/{contextId}' : '/context/relevant-docs'
  return [
    "import { createAlcoveClient, dataOf } from 'alcove/client'",
    '',
    'const client = createAlcoveClient({',
    `  baseUrl: ${literal(baseUrl)},`,
    "  access: { clientId: process.env['CLIENT_ID'] ?? '', clientSecret: process.env['CLIENT_SECRET'] ?? '' },",
    '})',
    'const hits = await dataOf(',
    `  client.POST('${path}', {`,
    ...(isOne ? [`    params: { path: { contextId: ${only} } },`] : []),
    `    body: { ${members} },`,
    '  }),',
    ')',
    'for (const { score, source } of hits) console.log(score?.toFixed(3), source?.displayName)',
    '',
  ].join('\n')
}

/** @returns a program for a host application */
export function hostText({ contextIds, prompt, ...options }: SearchRequest): string {
  const [only] = contextIds
  const called = contextIds.length === 1 && only !== undefined ? `search(${only}` : `searchAll(${literal(contextIds)}`
  const given = Object.keys(options).length === 0 ? '' : `, ${literal(options)}`
  return [
    "import { openLocalEngine } from 'alcove/local'",
    '',
    "const engine = await openLocalEngine({ dataDir: './alcove-data' })",
    'const session = engine.as(engine.owner)',
    `const hits = await session.${called}, ${literal(prompt)}${given})`,
    'for (const { score, source } of hits) console.log(score.toFixed(3), source.displayName)',
    'await engine.close()',
    '',
  ].join('\n')
}

/** A word for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** A value as TypeScript writes it. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{ ${membersOf(value).join(', ')} }`
}

function membersOf(value: object): string[] {
  return Object.entries(value).map(([key, member]) => `${nameOf(key)}: ${literal(member)}`)
}

function nameOf(key: string): string {
  // Any other form of this name would set the prototype.
  if (key === '__proto__') return "['__proto__']"
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key)
}
