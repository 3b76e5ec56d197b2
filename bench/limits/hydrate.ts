import { hydrate } from 'preact'
import { hydrated } from './hydrated.ts'

const root = document.getElementById('root')!
hydrate(hydrated(root.dataset.address!), root)
root.dataset.ready = ''
