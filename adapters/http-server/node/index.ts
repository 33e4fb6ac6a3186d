/** The REST API served by `node:http`. */
export type { ConnectionLimits } from './connections.js'
export { type NodeListener, type NodeListenerOptions, nodeListener } from './node-listener.js'
export { type HttpServer, type ServeHttpOptions, serveHttp } from './serve-http.js'
