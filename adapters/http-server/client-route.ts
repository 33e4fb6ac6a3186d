import { ThrottledError, TokenRequestError } from '../../src/index.js'
import { tokenProblem } from './problem.js'
import { type ClientForm, FORM, readClientForm } from './read-client-form.js'
import { type Answer, type Call, publicRoute, type Route } from './route.js'
import { tokenProblemSchema } from './schemas.js'

const REFUSALS: Readonly<Record<number, Answer>> = {
  400: { description: 'The request is not valid', schema: tokenProblemSchema },
  401: { description: 'The client is unknown, or its secret is wrong', schema: tokenProblemSchema },
  408: { description: 'The form did not arrive within 30 seconds', schema: tokenProblemSchema },
  429: {
    description: 'Too many wrong secrets; retry after the seconds in `Retry-After`',
    schema: tokenProblemSchema,
    hasRetryAfter: true,
  },
  500: { description: 'Internal failure', schema: tokenProblemSchema },
  503: { description: 'The service is not available now; retry later', schema: tokenProblemSchema },
}

type ClientRoute = Pick<Route, 'path' | 'operationId' | 'summary'> & {
  /** JSON Schema. */
  readonly form: object
  readonly answer: Answer
  readonly handle: (
    form: ClientForm,
    authorization: string | null,
    call: Call<unknown, unknown, unknown>,
  ) => Promise<Response>
}

/** An operation for OAuth clients: it takes a form, and its errors have the members of RFC 6749, section 5.2. */
export function clientRoute({ form: schema, answer, handle, ...route }: ClientRoute): Route {
  return publicRoute({
    ...route,
    api: 'system',
    method: 'POST',
    rawBody: { [FORM]: schema },
    answers: { 200: answer, ...REFUSALS },
    handle: async (call) => {
      const authorization = call.request.headers.get('authorization')
      try {
        return await handle(await readClientForm(call.request), authorization, call)
      } catch (error) {
        // The handler logs internal failures of all routes.
        if (!(error instanceof TokenRequestError || error instanceof ThrottledError)) throw error
        return tokenProblem(error, authorization !== null)
      }
    },
  })
}
