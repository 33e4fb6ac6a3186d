import { z } from 'zod'
import { AlcoveError, type PasswordReset, type PasswordSetup, passwordResetSchema } from '../../../../src/index.js'
import { objectSchema } from '../../../../src/ports/index.js'
import { mediaType, readText } from '../../../node-kit/index.js'
import { noContent, page } from '../../answers.js'
import { SMALL_BODY_BYTES } from '../../body-sizes.js'
import { publicRoute, type Route } from '../../route.js'
import { problemSchema, throttledAnswer } from '../../schemas/problems.js'
import { languageOf, setupPage, setupResultPage } from './password-pages.js'

const FORM = 'application/x-www-form-urlencoded'
const SETUP_POLICY = "style-src 'unsafe-inline'; form-action 'self'"
const SETUP_BODY = {
  type: 'object',
  required: ['token', 'password'],
  properties: { token: { type: 'string' }, password: { type: 'string', minLength: 12, maxLength: 1_000 } },
}
const TOO_MANY = { 429: throttledAnswer('Too many requests about passwords from one network address') }

/** Invitations and resets. Specification: Authentication. */
export const PASSWORD_ROUTES: readonly Route[] = [
  publicRoute({
    api: 'system',
    method: 'POST',
    path: '/auth/reset',
    operationId: 'requestPasswordReset',
    summary: 'Mail a link for a new password, if the address is known',
    body: passwordResetSchema,
    isBodyLate: true,
    answers: { 204: { description: 'The answer for known and for unknown addresses' }, ...TOO_MANY },
    handle: async ({ readJson, engine, origin }) => {
      await engine.authentication.requestPasswordReset(async () => (await readJson()) as PasswordReset, origin)
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
      200: { description: 'The password is set: a page, if the form of the page was sent', contentType: 'text/html' },
      204: { description: 'The password is set' },
      400: {
        description: 'The token is used or expired, or the password is too short or too easy to guess',
        schema: problemSchema,
        contentType: 'application/problem+json',
        otherContentType: 'text/html',
      },
      ...TOO_MANY,
    },
    handle: async ({ request, readJson, engine, origin, options }) => {
      if (mediaType(request) === FORM) {
        return await answerForm(
          request,
          async (read) => await engine.authentication.setPassword(read, origin),
          options.signInUrl,
        )
      }
      await engine.authentication.setPassword(async () => (await readJson()) as PasswordSetup, origin)
      return noContent()
    },
  }),
  publicRoute<unknown, { token?: string }>({
    api: 'system',
    method: 'GET',
    path: '/auth/setup',
    operationId: 'showSetupForm',
    summary: 'Show a plain form for a new password; mails link to it',
    query: objectSchema({ token: z.string().optional() }) as z.ZodType<{ token?: string }>,
    answers: { 200: { description: 'The form', contentType: 'text/html' }, ...TOO_MANY },
    handle: async ({ request, query, engine, origin }) => {
      await engine.authentication.countPasswordRequest(origin)
      return page(setupPage(languageOf(request), query.token ?? ''), SETUP_POLICY)
    },
  }),
]

/** The form works without scripts, so the answer is a page. */
async function answerForm(
  request: Request,
  setPassword: (read: () => Promise<PasswordSetup>) => Promise<void>,
  signInUrl: string | undefined,
): Promise<Response> {
  let token: string | undefined
  try {
    await setPassword(async () => {
      const form = new URLSearchParams(await readText(request, SMALL_BODY_BYTES))
      token = form.get('token') ?? ''
      return { token, password: form.get('password') ?? '' }
    })
    return page(setupResultPage(languageOf(request), signInUrl), SETUP_POLICY)
  } catch (error) {
    if (token === undefined || !(error instanceof AlcoveError) || error.code !== 'ERR_INVALID_INPUT') throw error
    return page(setupPage(languageOf(request), token, error.message), SETUP_POLICY, 400)
  }
}
