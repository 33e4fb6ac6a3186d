import { z } from 'zod'
import {
  type Engine,
  keyLoginSchema,
  type Login,
  type LoginInput,
  passwordLoginSchema,
  UnauthenticatedError,
} from '../../../../src/index.js'
import { refuseCrossSite } from '../../../node-kit/index.js'
import { noContent, secretJson } from '../../answers.js'
import { type CookiePlace, cookieOf, loginOf, loginsOf } from '../../cookie-logins.js'
import { publicRoute, type Route } from '../../route.js'
import { id, timestamp } from '../../schemas/fields.js'
import { problemAnswer, throttledAnswer } from '../../schemas/problems.js'

const named = z.object({ id, name: z.string() })

const loginSchema: z.ZodType<Login> = z
  .object({
    kind: z.enum(['password', 'key', 'host']),
    sight: z.enum(['user', 'account']),
    user: named.extend({ email: z.string(), customerId: id }),
    clientId: z.string().nullable(),
    expires: timestamp.nullable(),
    accounts: z.array(
      named.extend({
        application: z.string(),
        customerId: id,
        customerName: z.string(),
        role: named,
        capabilities: z.array(z.string()),
      }),
    ),
  })
  .meta({ id: 'Login' })

const { $schema: _dialect, ...LOGIN_BODY } = z.toJSONSchema(z.union([passwordLoginSchema, keyLoginSchema]))
const CROSS_SITE = {
  403: problemAnswer('A page of another origin sent the request'),
}
const STATE = { 200: { description: 'The login, with the accounts on which it may act', schema: loginSchema } }
const PATH = '/auth/login'

/** Logins of pages, which a cookie keeps. */
export const LOGIN_ROUTES: readonly Route[] = [
  publicRoute({
    api: 'system',
    method: 'POST',
    path: PATH,
    operationId: 'logIn',
    summary: 'Log a page in with a password or an API key, and set a cookie',
    description:
      'The cookie is `HttpOnly` and `SameSite=Strict`. A login lasts at most 12 hours. It ends when the user logs out, gets another password or is disabled, and when the API key is revoked. The header `x-alcove-account` of later requests chooses an account. Only pages of this server may log in.',
    rawBody: { 'application/json': LOGIN_BODY },
    answers: {
      ...STATE,
      ...CROSS_SITE,
      401: problemAnswer(
        'The credentials are wrong; with `ERR_OTP_REQUIRED`, the password is right, and `otp` is missing',
      ),
      429: throttledAnswer('Too many wrong passwords or secrets'),
    },
    handle: async ({ readJson, request, engine, origin, options, basePath }) => {
      refuseCrossSite(request, { publicUrl: options.publicUrl })
      const token = await engine.authentication.logIn((await readJson()) as LoginInput, origin)
      for (const former of loginsOf(request, { options, basePath })) await engine.authentication.logOut(former)
      const answer = secretJson(await engine.authentication.getLogin(token))
      answer.headers.append('set-cookie', cookieOf(request, token, { options, basePath }))
      return answer
    },
  }),
  publicRoute({
    api: 'system',
    method: 'GET',
    path: PATH,
    operationId: 'getLogin',
    summary: 'Get the login of the caller, with the accounts on which it may act',
    answers: {
      ...STATE,
      401: problemAnswer('Neither a cookie, nor a token, nor the login of the host names a caller'),
    },
    // A login without an account has no principal, and is told all the same.
    handle: async ({ request, engine, options, basePath, identify }) => {
      const login = await findLogin(engine, request, { options, basePath })
      if (login !== undefined && options.authenticate === undefined) return secretJson(login)
      const { principal } = await identify()
      // The host's own login comes before the cookie: its user may be another one.
      const isOfCaller = login?.user.id === principal.userId
      return secretJson(isOfCaller ? login : await engine.authentication.describePrincipal(principal))
    },
  }),
  publicRoute({
    api: 'system',
    method: 'DELETE',
    path: PATH,
    operationId: 'logOut',
    summary: 'End the login of the page',
    answers: { 204: { description: 'The login has ended, or there was none' }, ...CROSS_SITE },
    handle: async ({ request, engine, options, basePath }) => {
      refuseCrossSite(request, { publicUrl: options.publicUrl })
      for (const login of loginsOf(request, { options, basePath })) await engine.authentication.logOut(login)
      const answer = noContent()
      answer.headers.append('set-cookie', cookieOf(request, undefined, { options, basePath }))
      return answer
    },
  }),
]

async function findLogin({ authentication }: Engine, request: Request, place: CookiePlace): Promise<Login | undefined> {
  const token = loginOf(request, place)
  if (token === undefined) return undefined
  try {
    return await authentication.getLogin(token)
  } catch (error) {
    if (error instanceof UnauthenticatedError) return undefined
    throw error
  }
}
