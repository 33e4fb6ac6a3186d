import { html, raw } from 'hono/html'
import { parseAccept } from 'hono/utils/accept'
import type { HtmlEscapedString } from 'hono/utils/html'

type Content = HtmlEscapedString | Promise<HtmlEscapedString> | ''

const LANGUAGES = ['en', 'de'] as const

/** A language of the pages. */
export type PageLanguage = (typeof LANGUAGES)[number]

interface PageTexts {
  readonly title: string
  readonly newPassword: string
  readonly rule: string
  readonly set: string
  readonly isSet: string
  readonly close: string
  readonly use: string
  readonly signIn: string
}

const TEXTS: Readonly<Record<PageLanguage, PageTexts>> = {
  en: {
    title: 'Choose a password',
    newPassword: 'New password',
    rule: 'At least 12 characters. Not a common password, not your e-mail address, and not a few repeated characters.',
    set: 'Set password',
    isSet: 'Your password is set',
    close: 'You can close this page.',
    use: 'Use it with your e-mail address.',
    signIn: 'Sign in',
  },
  de: {
    title: 'Passwort wählen',
    newPassword: 'Neues Passwort',
    rule: 'Mindestens 12 Zeichen. Kein häufiges Passwort, nicht deine E-Mail-Adresse und nicht wenige Zeichen, die sich wiederholen.',
    set: 'Passwort setzen',
    isSet: 'Dein Passwort ist gesetzt',
    close: 'Du kannst diese Seite schließen.',
    use: 'Melde dich damit und mit deiner E-Mail-Adresse an.',
    signIn: 'Anmelden',
  },
}

/** The engine's sentences about what the form sends. */
const GERMAN_PROBLEMS: readonly (readonly [sentence: RegExp, german: string])[] = [
  [
    /^token: is not valid/,
    'Dieser Link gilt nicht mehr: Er wurde schon benutzt oder ist abgelaufen. Fordere eine neue E-Mail an.',
  ],
  [/at least (\d+) characters$/, 'Das Passwort muss mindestens $1 Zeichen haben.'],
  [/at most (\d+) characters$/, 'Das Passwort darf höchstens $1 Zeichen haben.'],
  [/must be neither the e-mail address/, 'Das Passwort darf weder deine E-Mail-Adresse noch der Teil vor dem @ sein.'],
  [
    /must not be a few characters/,
    'Das Passwort darf nicht aus wenigen Zeichen bestehen, die sich wiederholen: Wähle andere Wörter.',
  ],
  [
    /is one of the most common passwords/,
    'Dieses Passwort ist eines der häufigsten, die zuerst erraten werden: Wähle ein anderes.',
  ],
]
const OTHER_GERMAN_PROBLEM = 'Dieses Passwort geht nicht: Wähle ein anderes.'

/** The colours and sizes of the console. */
const STYLE = `
:root{color-scheme:light dark;--text:light-dark(#1a1d21,#e8eaed);--soft:light-dark(#545b64,#a9b1bb);--page:light-dark(#f6f7f9,#15181c);--surface:light-dark(#fff,#1e2227);--line:light-dark(#d4d9df,#3a414a);--edge:light-dark(#7a838e,#7f8894);--accent:light-dark(#0b57b7,#8ab8ff);--on-accent:light-dark(#fff,#0c1a2e);--bad:light-dark(#a40e26,#ff9aa5)}
*{box-sizing:border-box}
body{margin:0;padding:10vh 1rem 2rem;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{max-width:26rem;margin:0 auto;padding:1.5rem;border:1px solid var(--line);border-radius:.5rem;background:var(--surface)}
.brand{max-width:26rem;margin:0 auto .5rem;font-weight:700}
h1{margin:0 0 1rem;font-size:1.5rem;line-height:1.25}
p{margin:0 0 1rem}
label{display:block;font-weight:600}
input{display:block;width:100%;margin-top:.25rem;padding:.5rem .75rem;border:1px solid var(--edge);border-radius:.5rem;background:var(--surface);color:inherit;font:inherit}
#rule{margin-top:.25rem;color:var(--soft);font-size:.875rem}
[role=alert]{color:var(--bad)}
button,.button{display:inline-block;padding:.5rem 1rem;border:1px solid var(--accent);border-radius:.5rem;background:var(--accent);color:var(--on-accent);font:inherit;font-weight:600;text-decoration:none;cursor:pointer}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}`

/** The language of the pages that the browser likes best. */
export function languageOf(request: Request): PageLanguage {
  for (const { type } of parseAccept(request.headers.get('accept-language') ?? '')) {
    const found = LANGUAGES.find((language) => language === type.slice(0, 2).toLowerCase())
    if (found !== undefined) return found
  }
  return 'en'
}

/** The form for a new password. @param problem the engine's sentence about the last password */
export function setupPage(language: PageLanguage, token: string, problem?: string): string {
  const texts = TEXTS[language]
  const rule = 'aria-describedby="rule"'
  return document(
    language,
    texts.title,
    html`<form method="post" action="setup">
      <input type="hidden" name="token" value="${token}">
      <label>${texts.newPassword} <input type="password" name="password" minlength="12" maxlength="1000" autocomplete="new-password" ${raw(problem === undefined ? rule : 'aria-invalid="true" aria-describedby="problem rule"')} required autofocus></label>
      <p id="rule">${texts.rule}</p>
      ${problem === undefined ? '' : html`<p id="problem" role="alert">${problemText(language, problem)}</p>`}
      <button>${texts.set}</button>
    </form>`,
  )
}

/** The page after a password is set. */
export function setupResultPage(language: PageLanguage, signInUrl: string | undefined): string {
  const texts = TEXTS[language]
  return document(
    language,
    texts.isSet,
    signInUrl === undefined
      ? html`<p>${texts.close}</p>`
      : html`<p>${texts.use}</p><a class="button" href="${signInUrl}">${texts.signIn}</a>`,
  )
}

function problemText(language: PageLanguage, problem: string): string {
  if (language === 'en') {
    return `${problem.replace(/^password: (must|is)/, 'The password $1').replace(/^token: is/, 'This link is')}.`
  }
  for (const [sentence, german] of GERMAN_PROBLEMS) {
    const found = sentence.exec(problem)
    if (found !== null) return german.replace('$1', found[1] ?? '')
  }
  return OTHER_GERMAN_PROBLEM
}

function document(language: PageLanguage, title: string, content: Content): string {
  const markup = html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <meta name="color-scheme" content="light dark">
        <meta name="referrer" content="no-referrer">
        <title>${title}</title>
        <style>${raw(STYLE)}</style>
      </head>
      <body>
        <div class="brand">Alcove</div>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`
  // The template contains no promise, so the result is no promise either.
  return (markup as HtmlEscapedString).toString()
}
