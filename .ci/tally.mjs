// Names every skipped test and sums up all suites in one closing line.
import { readFileSync } from 'node:fs'

const sum = { passed: 0, failed: 0, skipped: 0 }
for (const path of process.argv.slice(2)) {
  for (const file of JSON.parse(readFileSync(path, 'utf8')).testResults)
    for (const { status, fullName } of file.assertionResults) {
      if (status === 'passed') sum.passed++
      else if (status === 'failed') sum.failed++
      else {
        sum.skipped++
        console.log(`skipped: ${fullName.trim()}`)
      }
    }
}
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`)
process.exitCode = sum.failed > 0 || sum.passed === 0 ? 1 : 0
