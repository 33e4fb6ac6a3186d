import { VERSION } from '../../node-kit/index.js'
import { json } from '../answers.js'
import { answerLater } from '../late-answer.js'
import { type Route, route } from '../route.js'
import { type InstallationState, installationStateSchema, verifyReportSchema } from '../schemas/operator.js'
import { throttledAnswer } from '../schemas/problems.js'

const COMMON = { api: 'tenant', access: 'tenant' } as const

/** The whole installation, for managers of the root company. */
export const OPERATOR_ROUTES: readonly Route[] = [
  route({
    ...COMMON,
    method: 'GET',
    path: '/operator/state',
    operationId: 'getInstallationState',
    summary: 'Get the state of the process that answers, and of its data',
    description: 'For managers of the root company. The queues and the data are those of all companies.',
    answers: { 200: { description: 'The state, without names of folders', schema: installationStateSchema } },
    handle: async (_call, { operator }) => {
      const state: InstallationState = { version: VERSION, ...(await operator.state()) }
      return json(state)
    },
  }),
  route({
    ...COMMON,
    method: 'POST',
    path: '/operator/verify',
    operationId: 'verifyInstallation',
    summary: 'Run the doctor without repairs',
    description:
      'For managers of the root company. A run reads every file and may take minutes; `verification` of ' +
      '`GET /operator/state` shows its progress. Until the report comes, the body of the answer has a line end every ' +
      '15 seconds, which JSON allows before a value. The run ends if the client leaves or loses its rights; the body ' +
      'then breaks off. It changes nothing.',
    answers: {
      200: { description: 'The report', schema: verifyReportSchema },
      429: throttledAnswer('Another verification runs in this process'),
    },
    handle: async (call, { operator }) => await answerLater(call, (signal) => operator.verify({ signal })),
  }),
]
