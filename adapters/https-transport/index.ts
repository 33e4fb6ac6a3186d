/** Sends webhooks by HTTPS, to public addresses only. */
export { HttpsTransport, type HttpsTransportOptions } from './https-transport.js'
