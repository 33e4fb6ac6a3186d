import type { EventData } from '../src/webhooks/index.js'

const JOB = '3f2b8c1e-7d4a-4e6b-9a10-5c2d8e7f1a34'

/** Data of each type of event. */
export const EVENT_DATA: EventData = {
  'run.started': { jobKey: JOB },
  'run.completed': { jobKey: JOB, success: true },
  'run.failed': { jobKey: JOB, success: false },
  'agent.created': { agentId: 42, name: 'Zoë ✅ 東京 "x"' },
  'agent.published': { agentId: 42, revisionId: 7 },
  'agent.unpublished': { agentId: 42 },
  'agent.enabled': { agentId: 42, enabled: true, runnable: false },
  'agent.disabled': { agentId: 42, enabled: false, runnable: false },
  'agent.deleted': { agentId: 42 },
}
