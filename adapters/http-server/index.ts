/** The REST API as a fetch handler, for any server of the host. */
export type { Authenticate, HeldBytes, LoginInfo, LoginOptions, PublicUrl } from '../node-kit/index.js'
export { createHttpHandler, type HttpHandler } from './create-http-handler.js'
export { describeApi } from './describe-api.js'
export type { MountedHandler, MountedRequestInfo, Mounts } from './mounts.js'
export { type HttpServer, type ServeHttpOptions, serveHttp } from './node/serve-http.js'
export type { RequestInfo } from './request-log.js'
export type { ApiName, HttpHandlerOptions } from './route.js'
