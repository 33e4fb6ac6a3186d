/** The page of the REST API, made of its OpenAPI description. */
import { describeApi } from '../../dist/adapters/http-server/index.js'
import { code, generatedNote, page, sentence, table } from './markdown.js'
import { memberRows, type Schema, typeText } from './schema-text.js'

interface Header {
  readonly description?: string
}

interface Content {
  readonly schema?: Schema
}

interface Answer {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header>>
  readonly content?: Readonly<Record<string, Content>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: Schema
}

interface Operation {
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly security?: readonly unknown[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<Record<string, Answer>>
}

interface Description {
  readonly info: { readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

interface Route {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

const MEMBERS = ['Member', 'Type', 'Required', 'Default', 'Meaning'] as const

const INTRODUCTION = `\`alcove serve\` serves the API, and \`createHttpHandler\` of \`alcove/http\` mounts it in a server of the host. \`alcove export-openapi\` prints the OpenAPI 3.1 description that this page is made of. \`GET /openapi.json\` and \`GET /docs\` show it on a running server.

A request carries an access token in the header \`Authorization: Bearer\`. \`POST /connect/token\` gives one for an API key, for 900 seconds. A route that needs no token says so.

A refusal is a problem document (RFC 9457). Its member \`code\` is one of the [error codes](errors.md), and \`reason\` has the code of one of the [reasons](errors.md#reasons).`

export function restPage(): string {
  const api = describeApi({ cookieLogins: true }) as Description
  const routes = Object.entries(api.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const common = commonAnswers(routes)
  const overview = routes.map((route) => [
    `[${titleOf(route)}](#${anchorOf(route)})`,
    sentence(route.operation.summary),
  ])
  return page(
    '# REST API',
    generatedNote('the OpenAPI description of the API'),
    sentence(api.info.description),
    INTRODUCTION,
    '## Routes',
    table(['Route', 'Purpose'], overview),
    '## Common answers',
    'A route lists the statuses of this table without their meaning.',
    answerTable([...common].map(([status, answer]) => [status, JSON.parse(answer) as Answer])),
    ...api.tags.flatMap(({ name, description }) => [
      `## ${sentence(description).replace(/\.$/, '')}`,
      ...routes
        .filter(({ operation }) => operation.tags.includes(name))
        .flatMap((route) => routeSection(route, common)),
    ]),
    '## Schemas',
    ...Object.entries(api.components.schemas).flatMap(schemaSection),
  )
}

/** The refusals that most routes have in the same words, as JSON. */
function commonAnswers(routes: readonly Route[]): ReadonlyMap<string, string> {
  const counts = new Map<string, Map<string, number>>()
  for (const { operation } of routes) {
    for (const [status, answer] of Object.entries(operation.responses)) {
      const ofStatus = counts.get(status) ?? new Map<string, number>()
      const text = JSON.stringify(answer)
      counts.set(status, ofStatus.set(text, (ofStatus.get(text) ?? 0) + 1))
    }
  }
  const most = [...counts].flatMap(([status, ofStatus]) => {
    const all = [...ofStatus.values()].reduce((sum, count) => sum + count, 0)
    const found = [...ofStatus].find(([, count]) => count > all / 2)
    return found === undefined || Number(status) < 400 ? [] : [[status, found[0]] as const]
  })
  return new Map(most.sort(([one], [other]) => Number(one) - Number(other)))
}

function titleOf({ method, path }: Route): string {
  return code(`${method} ${path}`)
}

/** As GitHub makes it of the title: everything but letters, digits, hyphens and low lines goes. */
function anchorOf({ method, path }: Route): string {
  return `${method}-${path}`.toLowerCase().replaceAll(/[^a-z0-9_-]/g, '')
}

function routeSection(route: Route, common: ReadonlyMap<string, string>): string[] {
  const { operation } = route
  const answers = Object.entries(operation.responses)
  const isCommon = ([status, answer]: [string, Answer]): boolean => common.get(status) === JSON.stringify(answer)
  const others = answers.filter(isCommon).map(([status]) => status)
  const isPublic = operation.security?.length === 0
  return [
    `### ${titleOf(route)}`,
    sentence(operation.summary),
    sentence(operation.description ?? ''),
    isPublic ? 'This route needs no access token.' : '',
    parameterTable(operation.parameters),
    ...Object.entries(operation.requestBody?.content ?? {}).flatMap(bodySection),
    answerTable(answers.filter((answer) => !isCommon(answer))),
    others.length === 0 ? '' : `[Common answers](#common-answers): ${others.join(', ')}.`,
  ]
}

function parameterTable(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(({ name, in: place, required, schema }) => [
    code(name),
    place,
    typeText(schema),
    required ? 'yes' : 'no',
    schema.default === undefined ? '' : code(JSON.stringify(schema.default)),
    sentence(schema.description ?? ''),
  ])
  return table(['Parameter', 'In', 'Type', 'Required', 'Default', 'Meaning'], rows)
}

function bodySection([contentType, { schema = {} }]: [string, Content]): string[] {
  const rows = memberRows(schema)
  if (rows.length > 0) return [`The body is ${code(contentType)}:`, table(MEMBERS, rows)]
  return [`The body is ${code(contentType)}: ${typeText(schema)}.`]
}

function answerTable(answers: readonly (readonly [status: string, answer: Answer])[]): string {
  const rows = answers.map(([status, answer]) => answerRow(status, answer))
  return table(['Status', 'Meaning', 'Body', 'Headers'], rows)
}

function answerRow(status: string, { description, headers = {}, content = {} }: Answer): string[] {
  const bodies = Object.entries(content).map(([type, { schema }]) => {
    // The type of a JSON body of a schema is the name of that schema.
    if (schema === undefined) return code(type)
    return type === 'application/json' ? typeText(schema) : `${code(type)}: ${typeText(schema)}`
  })
  const names = Object.entries(headers).map(([name, header]) => `${code(name)}: ${sentence(header.description ?? '')}`)
  return [status, sentence(description), bodies.join(' or '), names.join(' ')]
}

function schemaSection([name, schema]: [string, Schema]): string[] {
  const tables = (schema.anyOf ?? schema.oneOf ?? [schema]).map(memberTable)
  return [
    `### ${name}`,
    sentence(schema.description ?? ''),
    ...tables.flatMap((each, index) => (index > 0 ? ['Or:', each] : [each])),
  ]
}

function memberTable(schema: Schema): string {
  const rows = memberRows(schema)
  if (rows.length > 0) return table(MEMBERS, rows)
  return schema.properties === undefined ? sentence(typeText(schema)) : 'An object without members.'
}
