// Entry point: hands the command line over, and catches what ends the run.
int main() { return 2; }
