import type { Hono } from 'hono'
import { InvalidInputError } from '../../src/index.js'
import type { BodyBudget, HeldBytes } from '../node-kit/index.js'
import type { LoggedCaller, RequestEnvironment, RequestInfo } from './request-log.js'

/** The facts about a request that a mounted handler gets. */
export interface MountedRequestInfo extends RequestInfo {
  /** The id of the request. The answer has it in `x-request-id`. */
  readonly requestId: string
  /** Gives the request log the caller. */
  readonly noteCaller: (caller: LoggedCaller) => void
  /**
   * Counts the body that the mounted handler receives in the memory that all bodies of this handler share.
   *
   * @param companyId the caller's company; 0 if it is unknown
   */
  readonly holdBody: (companyId: number) => HeldBytes
}

/** Another fetch handler, which shares the server of this one. */
export type MountedHandler = (request: Request, info: MountedRequestInfo) => Promise<Response>

/** Handlers by path. A path that ends in `/*` stands for itself without that end, and for all paths below. */
export type Mounts = Readonly<Record<string, MountedHandler>>

/** Adds the mounted handlers to an app. @throws InvalidInputError for a path that is none */
export function addMounts(
  app: Hono<RequestEnvironment>,
  mounts: Mounts,
  { basePath, bodies }: { readonly basePath: string; readonly bodies: BodyBudget },
): void {
  const holdBody = (companyId: number): HeldBytes => bodies.hold(companyId)
  for (const [path, handler] of Object.entries(mounts)) {
    if (!/^(\/[\w.~-]+)+(\/\*)?$/.test(path)) {
      throw new InvalidInputError('mounts', `must have paths such as /mcp or /mcp/*, not ${path.slice(0, 100)}`)
    }
    app.all(basePath + path, async (context) => {
      context.set('route', path)
      const noteCaller = (caller: LoggedCaller): void => context.set('caller', caller)
      const requestId = context.get('requestId')
      return await handler(context.req.raw, { ...context.env, requestId, noteCaller, holdBody })
    })
  }
}
