import { createElement } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { load } from '../shop.js'
import { Shop } from './shop.js'

hydrateRoot(document.querySelector('#app'), createElement(Shop), {
  onRecoverableError: (error) => console.error('hydration', error.message),
})
void load()
