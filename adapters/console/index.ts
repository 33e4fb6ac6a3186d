/** The console: a page for people, served by the host. It uses only the REST API. */
export { type ConsoleHandler, type ConsoleOptions, createConsoleHandler } from './create-console-handler.js'
