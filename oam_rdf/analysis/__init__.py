"""What follows from what is stored, and what people decide about it: invalidation, assessments, checks, the review queue."""
