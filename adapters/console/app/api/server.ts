/** The addresses that the page gets from its server: see `console-page.ts`. */
export interface ServerAddresses {
  /** Path of the console, such as `/console`. */
  readonly consolePath: string
  /** Path of the REST API, without a slash at its end; empty for the root. */
  readonly apiPath: string
}

/** @throws Error if the page is not one of the server's */
export function serverAddresses(): ServerAddresses {
  const { consolePath, apiPath } = document.documentElement.dataset
  if (consolePath === undefined || apiPath === undefined) throw new Error('the page has no addresses')
  return { consolePath, apiPath }
}
