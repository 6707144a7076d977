package storetest

const AddCharge = `INSERT INTO sandbox_failures (project_id, key, failures) VALUES ($1, $2, $3)`
