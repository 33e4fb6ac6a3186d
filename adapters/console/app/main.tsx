import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { serverAddresses } from './api/server.js'
import { App } from './app.js'
import { LanguageProvider } from './texts/language.js'
import './styles/base.css'
import './styles/controls.css'

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no root')
createRoot(root).render(
  <StrictMode>
    <Router base={serverAddresses().consolePath}>
      <LanguageProvider>
        <App />
      </LanguageProvider>
    </Router>
  </StrictMode>,
)
