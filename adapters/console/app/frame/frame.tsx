import { type ReactElement, type ReactNode, useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { type Capability, useLogin } from '../login/use-login.js'
import { type Texts, useTexts } from '../texts/language.js'
import { Button } from '../ui/buttons.js'
import { Select } from '../ui/fields.js'
import { Toasts } from '../ui/toasts.js'
import { useLeave } from './guarded-router.js'
import { LanguageChoice } from './language-choice.js'

type SectionName = 'gpts' | 'search' | 'people' | 'webhooks' | 'operate'

interface FrameTexts extends Readonly<Record<SectionName, string>> {
  readonly skip: string
  readonly navigation: string
  readonly account: string
  readonly signOut: string
}

const TEXTS: Texts<FrameTexts> = {
  en: {
    gpts: 'My GPTs',
    search: 'Try a search',
    people: 'People',
    webhooks: 'Webhooks',
    operate: 'Operate',
    skip: 'Skip to the content',
    navigation: 'Sections',
    account: 'Account',
    signOut: 'Sign out',
  },
  de: {
    gpts: 'Meine GPTs',
    search: 'Suche ausprobieren',
    people: 'Personen',
    webhooks: 'Webhooks',
    operate: 'Betrieb',
    skip: 'Zum Inhalt springen',
    navigation: 'Bereiche',
    account: 'Konto',
    signOut: 'Abmelden',
  },
}

/** The sections, with the right that each needs. */
export const SECTIONS: readonly { readonly name: SectionName; readonly needs: Capability }[] = [
  { name: 'gpts', needs: 'context:read' },
  { name: 'search', needs: 'search' },
  { name: 'people', needs: 'tenant:manage' },
  { name: 'webhooks', needs: 'webhook:manage' },
  { name: 'operate', needs: 'tenant:manage' },
]

/** The page around each section: navigation, account and sign-out. */
export function Frame({ children }: { readonly children: ReactNode }): ReactElement {
  const texts = useTexts(TEXTS)
  const { login, account, chooseAccount, logOut, can } = useLogin()
  const [path] = useLocation()
  const leave = useLeave()
  const content = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  // Another page is announced, and the keyboard goes on in it.
  useEffect(() => {
    if (isFirst.current) isFirst.current = false
    else content.current?.focus()
  }, [path])
  const choices = login.accounts.filter(({ application }) => application === 'assistant')
  return (
    <>
      <a className="skip" href="#content">
        {texts.skip}
      </a>
      <header className="frame-header">
        <span className="brand">Alcove</span>
        <nav aria-label={texts.navigation}>
          {SECTIONS.filter(({ needs }) => can(needs)).map(({ name }) => (
            <Link
              key={name}
              href={`/${name}`}
              aria-current={path.startsWith(`/${name}`) ? 'page' : undefined}
              className="frame-link"
            >
              {texts[name]}
            </Link>
          ))}
        </nav>
        <div className="frame-user">
          {choices.length > 1 && (
            <Select
              label={texts.account}
              value={account === undefined ? null : String(account.id)}
              onChange={(id) => leave(() => chooseAccount(Number(id)))}
              choices={choices.map(({ id, name, customerName }) => ({
                value: String(id),
                label: `${customerName}: ${name}`,
              }))}
            />
          )}
          <span className="frame-name">{login.user.name === '' ? login.user.email : login.user.name}</span>
          <Button kind="quiet" onPress={() => leave(() => void logOut())}>
            {texts.signOut}
          </Button>
          <LanguageChoice />
        </div>
      </header>
      <main id="content" ref={content} tabIndex={-1}>
        {children}
      </main>
      <Toasts />
    </>
  )
}
