"""Loads the store into the destination that the variable DESTINATION names, and removes deleted rows."""

import os

import dlt
from store_export_dlt import remove_deleted, store_export

pipeline = dlt.pipeline("shop", destination=os.environ["DESTINATION"], dataset_name="store_export")
pipeline.run(store_export()).raise_on_failed_jobs()
print(remove_deleted(pipeline))
