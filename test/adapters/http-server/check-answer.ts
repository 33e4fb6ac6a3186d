import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describeApi } from '../../../adapters/http-server/index.js'

/** An answer with its body read. */
export interface Answer<Body = unknown> {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

interface Described {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>
}
interface Operation {
  readonly responses: Readonly<Record<string, Described>>
}

const description = describeApi({ cookieLogins: true }) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}
const ajv = new Ajv2020({ strict: false, allErrors: true })
;(formats as unknown as (ajv: Ajv2020) => void)(ajv)
ajv.addSchema(description, 'description')
const validators = new Map<string, ValidateFunction>()

/**
 * Checks that the description contains an answer: its status, content type and body.
 * Paths and methods outside the description must be refused by 404 and 405.
 */
export function checkAnswer(method: string, target: string, answer: Answer): void {
  const where = `${method} ${target}: ${answer.status}`
  const path = findPath(new URL(target, 'http://test').pathname)
  if (path === undefined) {
    if (answer.status !== 404) throw new Error(`${where}, but the path is not described`)
    return
  }
  const operation = description.paths[path]?.[(method === 'HEAD' ? 'GET' : method).toLowerCase()]
  if (operation === undefined) {
    if (answer.status !== 405) throw new Error(`${where}, but the method is not described`)
    return
  }
  const response = operation.responses[answer.status]
  if (response === undefined) throw new Error(`${where} is not described: ${JSON.stringify(answer.body)}`)
  if (method === 'HEAD') return
  const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? ''
  if (response.content === undefined) {
    if (answer.body !== '') throw new Error(`${where} has a body, which is not described`)
    return
  }
  const content = response.content[type]
  if (content === undefined) throw new Error(`${where} has the content type ${type}, which is not described`)
  if (content.schema === undefined) return
  const validate = validatorOf([path, method.toLowerCase(), String(answer.status), type])
  if (!validate(answer.body)) {
    throw new Error(`${where} is not as described: ${ajv.errorsText(validate.errors)}: ${JSON.stringify(answer.body)}`)
  }
}

function findPath(pathname: string): string | undefined {
  const paths = Object.keys(description.paths)
  if (paths.includes(pathname)) return pathname
  return paths.find((path) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname))
}

function validatorOf([path = '', method = '', status = '', type = '']: string[]): ValidateFunction {
  const steps = ['paths', path, method, 'responses', status, 'content', type, 'schema']
  const pointer = steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
  const reference = `description#/${pointer}`
  let validator = validators.get(reference)
  if (validator === undefined) {
    validator = ajv.compile({ $ref: reference })
    validators.set(reference, validator)
  }
  return validator
}
