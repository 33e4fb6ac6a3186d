import { useMutation, useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { AlcoveApiError, dataOf, useApi } from '../api/api.js'
import { phrases, useTexts } from '../texts/phrases.js'
import { Button } from '../ui/buttons.js'
import { ErrorNote, Loaded } from '../ui/notes.js'
import type { Login } from './use-login.js'

const TEXTS = phrases({
  en: { other: 'You can sign out, and sign in with another user or API key.', signOut: 'Sign out' },
  de: {
    other: 'Du kannst dich abmelden und mit einem anderen Benutzer oder API-Schlüssel anmelden.',
    signOut: 'Abmelden',
  },
})

interface FirstLoginProps {
  readonly onLogin: (state: Login | 'none') => void
  readonly logOut: () => Promise<void>
}

/** Asks whether the browser has a login already. A login that cannot be used leaves the way to another one. */
export function FirstLogin({ onLogin, logOut }: FirstLoginProps): ReactElement {
  const texts = useTexts(TEXTS)
  const api = useApi()
  const query = useQuery({
    queryKey: ['login'],
    queryFn: async () => {
      try {
        const login = await dataOf(api.GET('/auth/login'))
        onLogin(login)
        return login
      } catch (error) {
        if (!(error instanceof AlcoveApiError) || error.status !== 401) throw error
        onLogin('none')
        return null
      }
    },
  })
  const signOut = useMutation({ mutationFn: logOut })
  return (
    <main className="login">
      <Loaded query={query}>{() => null}</Loaded>
      {query.error !== null && (
        <>
          <p>{texts.other}</p>
          <ErrorNote error={signOut.error} />
          <Button isPending={signOut.isPending} onPress={() => signOut.mutate()}>
            {texts.signOut}
          </Button>
        </>
      )}
    </main>
  )
}
