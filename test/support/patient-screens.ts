import { configure } from '@testing-library/preact'

// `waitFor` gives up after a second by default, which is a timed assertion on a busy machine.
configure({ asyncUtilTimeout: 60_000 })
