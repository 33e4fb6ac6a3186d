import { z } from 'zod'
import type { Answer, HttpHandlerOptions, Route } from './route.js'
import { routesOf } from './routes/index.js'
import { problemSchema } from './schemas/problems.js'

const TAGS = {
  assistant: 'Contexts, their documents and their search',
  tenant: 'Users and permissions',
  events: 'Outbound webhooks: event types, destinations and the delivery log',
  system: 'Tokens, passwords, and the service itself',
} as const

const TOKEN_SCHEME = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description: 'Get it by POST /connect/token; valid for 900 seconds',
} as const

const PROBLEMS: Readonly<Record<number, string>> = {
  400: 'The input is not valid: `detail` names the field',
  401: 'The token is missing, not valid or expired',
  403: 'The token does not allow this operation',
  404: 'The object does not exist, or the caller may not see it',
  408: 'The body arrived too slowly; the server closes the connection',
  413: 'The body is too large',
  500: 'Internal failure',
  503: 'The service is not available now; retry later',
}

/** The options of the handler that change its description. */
type DescriptionOptions = Pick<HttpHandlerOptions, 'basePath' | 'apis' | 'bearerTokens' | 'cookieLogins'>

/** Creates the OpenAPI 3.1 description from the schemas that check requests. */
export function describeApi(options: DescriptionOptions = {}): object {
  const routes = routesOf(options).filter(({ isHidden }) => isHidden !== true)
  const components = new Components()
  const hasTokens = options.bearerTokens ?? true
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route, components) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Alcove',
      version: '1.0.0',
      description:
        'Custom assistants (contexts) with documents that are searched by words and meaning; users and permissions; webhooks.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.basePath === undefined || options.basePath === '' ? '/' : options.basePath }],
    // The description cannot know the scheme of a host's own login.
    ...(hasTokens && { security: [{ token: [] }] }),
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      ...(hasTokens && { securitySchemes: { token: TOKEN_SCHEME } }),
      schemas: components.schemas,
    },
  }
}

function operation(route: Route, components: Components): object {
  const content = requestContent(route, components)
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(route.description !== undefined && { description: route.description }),
    tags: [route.api],
    ...(route.access === 'public' && { security: [] }),
    parameters: [...parameters(route.params, 'path'), ...parameters(route.query, 'query')],
    ...(content && { requestBody: { required: true, content } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.answers).map(([status, answer]) => [status, response(answer, components)]),
      ),
      ...Object.fromEntries(
        problemsOf(route).map((status) => [
          status,
          response({ description: PROBLEMS[status] ?? '', schema: problemSchema, contentType: PROBLEM }, components),
        ]),
      ),
    },
  }
}

const RETRY_AFTER = { description: 'Seconds until a retry can succeed', schema: { type: 'integer', minimum: 1 } }
const NEXT_LINK = {
  description: 'The next page, as `<URL>; rel="next"` (RFC 8288), if `limit` was given and another page exists',
  schema: { type: 'string' },
}
const PROBLEM = 'application/problem+json'

/** The statuses of errors that an operation may give besides its own answers. */
function problemsOf({ access, params, query, answers, body, rawBody }: Route): number[] {
  const takesBody = body !== undefined || rawBody !== undefined
  const statuses = [
    ...(access === 'public' && !takesBody && query === undefined ? [] : [400]),
    ...(access === 'public' ? [] : [401, 403]),
    ...(params === undefined && access !== 'tenant' ? [] : [404]),
    ...(takesBody ? [408, 413] : []),
    500,
    503,
  ]
  return statuses.filter((status) => answers[status] === undefined)
}

function requestContent(
  { body, rawBody, isSpecified, membersSentBack }: Route,
  components: Components,
): object | undefined {
  if (body !== undefined) {
    const isClosed = isSpecified !== true && membersSentBack === undefined
    const schema = components.schemaOf(body, isClosed ? 'closed input' : 'input')
    return { 'application/json': { schema } }
  }
  if (rawBody === undefined) return undefined
  return Object.fromEntries(Object.entries(rawBody).map(([type, schema]) => [type, { schema }]))
}

function response(answer: Answer, components: Components): object {
  const { description, schema, contentType, otherContentType, hasRetryAfter, hasNextLink } = answer
  if (schema === undefined && contentType === undefined) return { description }
  const headers = {
    ...answer.headers,
    ...(hasRetryAfter === true && { 'Retry-After': RETRY_AFTER }),
    ...(hasNextLink === true && { Link: NEXT_LINK }),
  }
  const content = schema === undefined ? {} : { schema: components.schemaOf(schema, 'output') }
  return {
    description,
    ...(Object.keys(headers).length > 0 && { headers }),
    content: {
      [contentType ?? 'application/json']: content,
      ...(otherContentType !== undefined && { [otherContentType]: {} }),
    },
  }
}

function parameters(schema: z.ZodType | undefined, location: 'path' | 'query'): object[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' })
  return Object.entries(properties).map(([name, property]) => {
    return { name, in: location, required: required.includes(name), schema: property }
  })
}

/** Collects schemas that have a name, so that the description contains each of them once. */
class Components {
  readonly schemas: Record<string, object> = {}

  /** @param direction `input` for a body that may have members that the schema does not name */
  schemaOf(schema: z.ZodType, direction: 'input' | 'closed input' | 'output'): object {
    const {
      $schema: _dialect,
      $defs = {},
      ...own
    } = z.toJSONSchema(schema, {
      io: direction === 'output' ? 'output' : 'input',
      override: ({ zodSchema, jsonSchema, path }) => {
        if (direction === 'input' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
        const id = z.globalRegistry.get(zodSchema)?.id
        if (id !== undefined && path.length === 0) jsonSchema.id = id
      },
    })
    for (const [name, definition] of Object.entries($defs)) this.#add(name, definition)
    const { id } = own
    if (id === undefined) return pointToComponents(own)
    return this.#add(id, own)
  }

  #add(name: string, definition: object): object {
    const { id: _name, ...schema } = definition as { readonly id?: string }
    this.schemas[name] ??= pointToComponents(schema)
    return { $ref: `#/components/schemas/${name}` }
  }
}

/** JSON Schema keeps its definitions in `$defs`, OpenAPI in `components`. */
function pointToComponents(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as object
}
