import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { allowEmptyMarkup } from './allow-empty-markup.js'
import { serverAddresses } from './api/api.js'
import { App } from './app.js'
import { ErrorBoundary } from './frame/error-boundary.js'
import { GuardedRouter } from './frame/guarded-router.js'
import { LanguageProvider } from './texts/language-provider.js'
import './styles/base.css'
import './styles/pages.css'
import './styles/controls.css'
import './styles/notes.css'

allowEmptyMarkup()
const root = document.getElementById('root')
if (root === null) throw new Error('the page has no root')
createRoot(root).render(
  <StrictMode>
    <LanguageProvider>
      <ErrorBoundary>
        <GuardedRouter base={serverAddresses().consolePath}>
          <App />
        </GuardedRouter>
      </ErrorBoundary>
    </LanguageProvider>
  </StrictMode>,
)
