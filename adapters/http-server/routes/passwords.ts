import { z } from 'zod'
import { AlcoveError, type PasswordSetup, passwordResetSchema, passwordSetupSchema } from '../../../src/index.js'
import { objectSchema, validate } from '../../../src/ports/index.js'
import { noContent, page } from '../answers.js'
import { setupPage, setupResultPage } from '../pages/setup-page.js'
import { mediaType, readJson, readText } from '../read-body.js'
import { publicRoute, type Route } from '../route.js'
import { problemSchema, throttledAnswer } from '../schemas.js'

const FORM = 'application/x-www-form-urlencoded'
const SETUP_POLICY = "style-src 'unsafe-inline'; form-action 'self'"
const SETUP_BODY = {
  type: 'object',
  required: ['token', 'password'],
  properties: { token: { type: 'string' }, password: { type: 'string', minLength: 12, maxLength: 1_000 } },
}
const TOO_MANY = { 429: throttledAnswer('Too many requests about passwords from one network address; wait') }
const MOST_FORM_BYTES = 16_384

/** Invitations and resets: how a user gets a password (interfaces, REST). */
export const PASSWORD_ROUTES: readonly Route[] = [
  publicRoute({
    api: 'system',
    method: 'POST',
    path: '/auth/reset',
    operationId: 'requestPasswordReset',
    summary: 'Mail a link that sets a new password, where the address is known',
    body: passwordResetSchema,
    answers: { 204: { description: 'Always, whether or not the address is known' }, ...TOO_MANY },
    handle: async ({ body, engine, origin }) => {
      await engine.authentication.requestPasswordReset(body, origin)
      return noContent()
    },
  }),
  publicRoute({
    api: 'system',
    method: 'POST',
    path: '/auth/setup',
    operationId: 'setPassword',
    summary: 'Complete an invitation or a reset',
    rawBody: { 'application/json': SETUP_BODY, [FORM]: SETUP_BODY },
    answers: {
      200: { description: 'The password is set, as a page for those who sent the form', contentType: 'text/html' },
      204: { description: 'The password is set' },
      400: {
        description: 'The token was used or has expired, or the password is too short or too easy to guess',
        schema: problemSchema,
        contentType: 'application/problem+json',
        otherContentType: 'text/html',
      },
      ...TOO_MANY,
    },
    handle: async ({ request, engine, origin }) => {
      if (mediaType(request) === FORM) {
        return await answerForm(request, (input) => engine.authentication.setPassword(input, origin))
      }
      await engine.authentication.setPassword(validate(passwordSetupSchema, await readJson(request)), origin)
      return noContent()
    },
  }),
  publicRoute<unknown, { token?: string }>({
    api: 'system',
    method: 'GET',
    path: '/auth/setup',
    operationId: 'showSetupForm',
    summary: 'A plain form to choose a password, for the link of a mail',
    query: objectSchema({ token: z.string().optional() }) as z.ZodType<{ token?: string }>,
    answers: { 200: { description: 'The form', contentType: 'text/html' }, ...TOO_MANY },
    handle: async ({ query, engine, origin }) => {
      await engine.authentication.countPasswordRequest(origin)
      return page(setupPage(query.token ?? ''), SETUP_POLICY)
    },
  }),
]

/** The form works without scripts: it is answered by a page. */
async function answerForm(request: Request, setPassword: (input: PasswordSetup) => Promise<void>): Promise<Response> {
  const form = new URLSearchParams(await readText(request, MOST_FORM_BYTES))
  const token = form.get('token') ?? ''
  try {
    await setPassword({ token, password: form.get('password') ?? '' })
    return page(setupResultPage(), SETUP_POLICY)
  } catch (error) {
    if (!(error instanceof AlcoveError) || error.code !== 'ERR_INVALID_INPUT') throw error
    return page(setupPage(token, error.message), SETUP_POLICY, 400)
  }
}
