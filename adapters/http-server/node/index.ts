/** The REST API served by Node itself. */
export { type NodeListener, nodeListener } from './node-listener.js'
export { type HttpServer, type ServeHttpOptions, serveHttp } from './serve-http.js'
