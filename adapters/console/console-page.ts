import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

/** The files with which the page begins. */
export interface ConsoleEntry {
  /** Name of the script, such as `assets/main-1a2b.js`. */
  readonly script: string
  /** The modules that the script imports. */
  readonly imports: readonly string[]
  readonly styles: readonly string[]
}

/**
 * The page. Its addresses are attributes, because its policy allows no script inside it. A library adds a style element
 * with the nonce; everything else comes from this server.
 */
export function consolePage(
  { script, imports, styles }: ConsoleEntry,
  { path, apiPath }: { readonly path: string; readonly apiPath: string },
): Response {
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64')
  const markup = html`<!doctype html>
<html lang="en" data-console-path="${path}" data-api-path="${apiPath}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta property="csp-nonce" content="${nonce}">
<title>Alcove</title>
<link rel="icon" href="data:,">
${styles.map((style) => html`<link rel="stylesheet" href="${path}/${style}">`)}
${imports.map((module) => html`<link rel="modulepreload" href="${path}/${module}">`)}
<script type="module" src="${path}/${script}"></script>
</head>
<body>
<div id="root"><main class="login"><p role="status">Alcove …</p></main></div>
<noscript>The console needs JavaScript. The command line does the same: run "alcove help".</noscript>
</body>
</html>
`
  // The template contains no promise, so the result is no promise either.
  return new Response((markup as HtmlEscapedString).toString(), {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': [
        "default-src 'none'",
        "script-src 'self'",
        `style-src 'self' 'nonce-${nonce}'`,
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        // Only the policy that the page makes at its beginning; another one is refused.
        'trusted-types default',
      ].join('; '),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
  })
}
