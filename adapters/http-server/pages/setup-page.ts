import { html, raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

/** The form for a new password. @param problem the reason why the last password was refused */
export function setupPage(token: string, problem?: string): string {
  return document(
    'Choose a password',
    html`<form method="post" action="setup">
      <input type="hidden" name="token" value="${token}">
      <label>New password <input type="password" name="password" minlength="12" maxlength="1000" autocomplete="new-password" aria-describedby="rule" required autofocus></label>
      <p id="rule">At least 12 characters. Not a common password, not your e-mail address, and not a few repeated characters.</p>
      ${problem === undefined ? '' : html`<p role="alert">${problem}</p>`}
      <button>Set password</button>
    </form>`,
  )
}

export function setupResultPage(): string {
  return document('Your password is set', html`<p>You can close this page.</p>`)
}

function document(title: string, content: HtmlEscapedString | Promise<HtmlEscapedString>): string {
  const style = raw(
    'body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:4rem auto;padding:0 1rem}label,input,button{display:block;width:100%;box-sizing:border-box}input,button{font:inherit;margin:.5rem 0 1rem;padding:.5rem}[role=alert]{color:#a00}',
  )
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <meta name="referrer" content="no-referrer">
        <title>${title}</title>
        <style>${style}</style>
      </head>
      <body>
        <h1>${title}</h1>
        ${content}
      </body>
    </html>`
  // The template contains no promise, so the result is no promise either.
  return (page as HtmlEscapedString).toString()
}
